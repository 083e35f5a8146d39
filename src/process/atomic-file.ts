import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { findFile } from "../stores/find-file.ts";
import { claimOfStore, removeDatabase } from "../stores/sqlite/store-files.ts";
import { CommandFailure, cannotWrite } from "./errors.ts";
import { whenInterrupted } from "./on-signal.ts";

/** A temporary file without writes for this long, in milliseconds, is a leftover if its process is gone. */
const LEFTOVER_MS = 60_000;
/** After this long it is a leftover in any case: another process may have the process id by now. */
const STALE_MS = 86_400_000;

/** Process ids are only unique on one machine, and containers that share a folder all start with the same ones. */
const HOST = hostname().replace(/[^A-Za-z0-9]/g, "");

/** The name under which a process writes a file. */
export function temporaryPath(file: string, pid = process.pid): string {
  return `${file}.${HOST}-${pid}.tmp`;
}

interface ReplaceOptions {
  /** Whether to replace a file that exists. */
  readonly replace: boolean;
  /** Whether the file is a store, which `restore` alone replaces. */
  readonly isStore?: boolean;
}

/**
 * A file that is written under a temporary name and renamed once it is complete and on the disk, so that no reader finds
 * half a file. The temporary file is removed however the command ends; the next run removes what a kill leaves.
 */
export class AtomicFile implements Disposable {
  /** Open it with the flag `wx`: a symbolic link in this place must not decide which file is overwritten. */
  readonly path: string;
  readonly #file: string;
  readonly #options: ReplaceOptions;
  readonly #interruption: Disposable;

  /** @throws CommandFailure if its folder does not exist or is read-only, or if something exists there that must not be replaced */
  constructor(file: string, options: ReplaceOptions) {
    assertWritable(file, options);
    this.#options = options;
    this.#file = file;
    this.path = temporaryPath(file);
    try {
      removeLeftovers(dirname(file), (name) => name === basename(file));
      // A container's runs may all have the same process id, so a killed run may have left a file of this name.
      removeDatabase(this.path);
    } catch (error) {
      // On a read-only file system even the removal of a file that does not exist fails.
      throw cannotWrite(file, error);
    }
    this.#interruption = whenInterrupted(() => this.#remove());
  }

  /**
   * Renames the file to its own name. Then both the file and its name are on the disk.
   *
   * @throws CommandFailure if somebody has deleted the file meanwhile, or made another of that name, which must not be replaced
   */
  publish(): void {
    assertWritable(this.#file, this.#options);
    if (!existsSync(this.path)) {
      throw new CommandFailure(`${this.path}, the unfinished file, was deleted. Run the command again.`);
    }
    sync(this.path);
    renameSync(this.path, this.#file);
    sync(dirname(this.#file));
  }

  [Symbol.dispose](): void {
    this.#remove();
    this.#interruption[Symbol.dispose]();
  }

  #remove(): void {
    try {
      // SQLite may have put files beside it.
      removeDatabase(this.path);
    } catch {
      // The file system has become read-only, say. The command reports that, and a later run removes the file.
    }
  }
}

/**
 * Writes a text to a file, which appears whole.
 *
 * @throws CommandFailure if it cannot be written, or must not be replaced
 */
export function writeAtomically(file: string, text: string, options: ReplaceOptions): void {
  try {
    using atomic = new AtomicFile(file, options);
    writeFileSync(atomic.path, text, { flag: "wx" });
    atomic.publish();
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * Asserts that a command may write a file. A command that also opens a store asks before it does.
 *
 * @throws CommandFailure
 */
export function assertWritable(file: string, { replace, isStore = false }: ReplaceOptions): void {
  const obstacle = obstacleTo(file, isStore);
  if (obstacle !== undefined) throw new CommandFailure(`cannot write ${file}: ${obstacle}.`);
  if (!replace && existsSync(file)) {
    throw new CommandFailure(`${file} already exists; name another file, or add --force to replace it.`);
  }
}

/** What keeps a file from being written, even by replacing another: renaming onto a device or a link would destroy it. */
function obstacleTo(file: string, isStore: boolean): string | undefined {
  try {
    const folder = dirname(file);
    if (!findFile(folder)?.isDirectory()) return `there is no folder ${folder}; make it, or name another`;
    const found = findFile(file, lstatSync);
    if (found === undefined || found.isFile()) {
      const claim = isStore ? undefined : claimOfStore(file);
      return claim && `${claim}; name another file`;
    }
    if (findFile(file)?.isDirectory()) return "it is a folder; name a file";
    if (found.isSymbolicLink()) return "it is a symbolic link; name the file that it leads to";
    return "it is not a regular file; name one";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Removes the temporary files that killed processes have left in a folder.
 *
 * @param isOurs decides by a file's own name whether to look at its temporary files
 */
export function removeLeftovers(folder: string, isOurs: (name: string) => boolean): void {
  for (const name of namesIn(folder)) {
    const [, file = "", host, pid] = /^(.+)\.([A-Za-z0-9]*)-(\d+)\.tmp(?:-\w+)?$/.exec(name) ?? [];
    if (pid === undefined || !isOurs(file)) continue;
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    const isAbandoned = age > LEFTOVER_MS && host === HOST && !isAlive(Number(pid));
    if (age > STALE_MS || isAbandoned) rmSync(path, { force: true });
  }
}

/** The names in a folder; none if it cannot be listed. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A missing folder may be made later, and writing to it reports what is wrong.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
