import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sendCurlLine } from "../../test/support/curl-line.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { requirePrograms } from "../../test/support/installed-programs.ts";
import { signalAll, treeOf } from "../../test/support/processes.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { Machine, SUPERUSER, USER, type User } from "../fresh-machine/machine.ts";
import { BUSYBOX_PATH, makeMuslMachine } from "../fresh-machine/musl.ts";
import { PARTS } from "./parts.ts";

requirePrograms({ mmdebstrap: "mmdebstrap", python3: "python3-venv" });

const ROOT = join(import.meta.dir, "../..");
/** Where the package lies on a machine, and an empty folder in which its user runs it. */
const [PACKAGE, FOLDER] = ["/srv/the package/animal-store.tgz", "/home/tester/my animals"];

const packed = temporaryFolder();
beforeAll(async () => {
  await runCommand(["npm", "pack", "--silent", "--pack-destination", packed.path], { cwd: ROOT });
});
afterAll(() => packed[Symbol.dispose]());

async function bringPackage({ root }: Machine): Promise<void> {
  await runCommand(["mkdir", "-p", join(root, "srv/the package"), join(root, FOLDER)], { cwd: "/" });
  const [name = ""] = readdirSync(packed.path).filter((each) => each.endsWith(".tgz"));
  copyFileSync(join(packed.path, name), join(root, PACKAGE));
  await runCommand(["chown", "-R", `${USER.id}:${USER.id}`, join(root, FOLDER)], { cwd: "/" });
}

/** Runs a line on a machine to its end, and returns its exit code and what it wrote. */
async function on(machine: Machine, user: User, line: string, env: Record<string, string> = {}) {
  // The command that runs the suite may have told its own npm to be silent.
  const all = { npm_config_loglevel: "notice", ...env };
  await using running = machine.start(user, user === USER ? FOLDER : "/root", line, all);
  const { exitCode, stdout } = await running.child.ended();
  return { exitCode, output: stdout };
}

const SYSTEMS = [
  ["npm on Debian", "Debian with Node and npm", () => Machine.make("bookworm"), {}],
  ["npm on musl", "musl and BusyBox, as on Alpine", makeMuslMachine, { PATH: BUSYBOX_PATH }],
] as const;

describe.each(SYSTEMS.filter(([part]) => PARTS.has(part)))(
  "%s: the npm package on %s",
  (_part, _name, make, env) => {
    let machine: Machine;
    beforeAll(async () => {
      machine = await make();
      await bringPackage(machine);
    });
    afterAll(() => machine?.[Symbol.dispose]());
    const runs = (user: User, line: string) => on(machine, user, line, env);

    test(
      "installs for everyone without a warning, and runs for a user who may write nothing of it",
      async () => {
        const installed = await runs(SUPERUSER, `npm install --global '${PACKAGE}'`);
        expect(installed).toEqual({
          exitCode: 0,
          output: expect.stringMatching(/\nadded \d+ packages in .*\n$/),
        });
        expect(withoutNotices(installed.output)).not.toMatch(/warn|deprecated|script/i);
        expect(await runs(SUPERUSER, 'chmod -R a-w "$(npm root -g)/animal-store"')).toMatchObject({
          exitCode: 0,
        });

        await using running = machine.start(USER, FOLDER, "exec animal-store serve", { PORT: "0", ...env });
        const [line = ""] = await running.child.says(/curl -H 'Authorization: Bearer [^']+' '[^']+'/);
        const response = await sendCurlLine(line);
        expect([response.status, await response.text()]).toEqual([200, "[]"]);
        const page = await fetch(`${new URL(/http:[^']+/.exec(line)?.[0] ?? "").origin}/`);
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<!doctype html>")]);
        const isService = (pid: number) => treeOf(pid).length === 1;
        signalAll(treeOf(running.child.pid).filter(isService), "SIGTERM");
        expect(await running.child.exited).toBe(0);
        expect(running.leftovers()).toEqual([]);
      },
      LONG_RUN_MS,
    );

    test(
      "is removed as a whole; the data stays",
      async () => {
        expect(await runs(USER, "animal-store seed --count 3 --quiet")).toEqual({ exitCode: 0, output: "" });
        const { exitCode } = await runs(SUPERUSER, "npm uninstall --global animal-store");
        expect(exitCode).toBe(0);
        expect(await runs(USER, "command -v animal-store")).toMatchObject({ output: "" });
        expect(existsSync(join(machine.root, FOLDER, "data/animal-store.db"))).toBe(true);
      },
      LONG_RUN_MS,
    );

    test(
      "runs by npx for a user, in an empty folder whose path has spaces",
      async () => {
        const { exitCode, output } = await runs(
          USER,
          `npx --yes --package='${PACKAGE}' animal-store keys create --name me --json --database ./new.db; npx --yes --package='${PACKAGE}' animal-store --version`,
        );
        expect({ exitCode, output }).toEqual({
          exitCode: 0,
          output: expect.stringMatching(/\d+\.\d+\.\d+\n$/),
        });
      },
      LONG_RUN_MS,
    );
  },
);

/** npm may have something to say about a newer npm, and about the configuration of the machine that runs the suite. */
function withoutNotices(output: string): string {
  return output.replace(/^npm notice.*\n/gm, "").replace(/^npm warn Unknown \w+ config .*\n/gm, "");
}
