import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NAMESPACE } from "../full-disk.ts";
import { guardedFolder } from "./guarded-folder.ts";
import { AS_USER, PostgresPrograms, USER } from "./programs.ts";
import { PostgresServer } from "./server.ts";

const MIB = 1024 * 1024;

/** A PostgreSQL of a test's own that also has a small disk. */
export interface PostgresWithSmallDisk extends AsyncDisposable {
  readonly server: PostgresServer;
  /** The folder of the disk, as the server knows it. */
  readonly disk: string;
  /** Has the server keep its write-ahead log there; before its first start. */
  holdWal(): void;
  /** Fills the disk to its last byte. */
  fill(): void;
  /** Makes room again: what `fill` has taken. */
  makeRoom(): void;
}

/**
 * The disk is mounted for the server alone, and it stays when the server ends, until this process ends.
 *
 * @param mib the size of the disk
 */
export async function postgresWithSmallDisk(mib: number): Promise<PostgresWithSmallDisk> {
  const folder = guardedFolder();
  const disk = join(folder.path, "disk");
  const options = `size=${mib}m,mode=700,uid=${USER.uid ?? 0},gid=${USER.gid ?? 0}`;
  // The holder ends with its standard input.
  const mount = `mkdir disk && mount -t tmpfs -o ${options} tmpfs disk && echo mounted && exec cat`;
  const holder = Bun.spawn([...NAMESPACE, "sh", "-c", mount], {
    cwd: folder.path,
    stdin: "pipe",
    stdout: "pipe",
  });
  const { value } = await holder.stdout.getReader().read();
  if (!value) throw new Error("the disk could not be mounted");
  const programs = new PostgresPrograms(folder.path, undefined, enter(holder.pid));
  const data = join(folder.path, "data");
  await programs.initialise(data);
  /** The disk as this process reaches it. */
  const reached = join(`/proc/${holder.pid}/root`, disk);
  const ballast = join(reached, "ballast");
  const server = new PostgresServer(programs, data, ["fsync=off"]);
  return {
    server,
    disk,
    holdWal() {
      const move = 'mv "$1/pg_wal" "$2/wal" && ln -s "$3/wal" "$1/pg_wal"';
      const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", move, "sh", data, reached, disk]);
      if (exitCode !== 0) throw new Error(stderr.toString());
    },
    fill() {
      for (const bytes of [MIB, 4096]) {
        try {
          for (;;) appendFileSync(ballast, Buffer.alloc(bytes));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      }
    },
    makeRoom: () => rmSync(ballast),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      holder.stdin.end();
      await holder.exited;
      folder[Symbol.dispose]();
    },
  };
}

/** A prefix for a program that sees what a process has mounted. */
function enter(pid: number): readonly string[] {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === 0) return ["nsenter", "--mount", "--target", `${pid}`, "--", ...AS_USER];
  // Root of the holder's namespace may enter it; PostgreSQL refuses root, so it runs in a namespace below.
  return [
    ...["nsenter", "--user", "--preserve-credentials", "--mount", "--target", `${pid}`, "--"],
    ...["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"],
  ];
}
