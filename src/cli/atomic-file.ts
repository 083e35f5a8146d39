import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandFailure } from "./errors.ts";
import { whenInterrupted } from "./on-signal.ts";

/** A draft that nobody has written to for so long, in milliseconds, is a leftover where its process is gone. */
const LEFTOVER_MS = 60_000;
/** And after so long in any case: another process may have the number by now. */
const FORSAKEN_MS = 86_400_000;

/**
 * A file under another name, until it is whole and on the disk: nobody ever finds half of it under its
 * own. Whatever ends the command removes the draft, and what a kill left is removed by the next.
 */
export class AtomicFile implements Disposable {
  /** To be created with the flag `wx`: a link that somebody has put there must not choose what is overwritten. */
  readonly path: string;
  readonly #file: string;
  readonly #replace: boolean;
  readonly #interruption: Disposable;

  /** @throws CommandFailure where there is no folder for it, or it exists and is not to be replaced */
  constructor(file: string, options: { readonly replace: boolean }) {
    const folder = dirname(file);
    if (!existsSync(folder) || !statSync(folder).isDirectory())
      throw new CommandFailure(`cannot write ${file}: there is no folder ${folder}.`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      throw new CommandFailure(`cannot write ${file}: it is a folder; name a file.`);
    }
    if (!options.replace) refuseExisting(file);
    removeLeftovers(folder, (name) => name === basename(file));
    this.#replace = options.replace;
    this.#file = file;
    this.path = `${file}.${process.pid}.draft`;
    // In a container each run may have the same process id, and meet what a killed one left.
    this.#remove();
    this.#interruption = whenInterrupted(() => this.#remove());
  }

  /**
   * Gives the file its own name; both it and its name are on the disk then.
   *
   * @throws CommandFailure where another program has made a file of that name meanwhile
   */
  publish(): void {
    if (!this.#replace) refuseExisting(this.#file);
    sync(this.path);
    renameSync(this.path, this.#file);
    sync(dirname(this.#file));
  }

  [Symbol.dispose](): void {
    this.#remove();
    this.#interruption[Symbol.dispose]();
  }

  #remove(): void {
    rmSync(this.path, { force: true });
    // What SQLite may have laid beside it.
    for (const suffix of ["-journal", "-wal", "-shm"]) rmSync(this.path + suffix, { force: true });
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) {
    throw new CommandFailure(`${file} exists already; name another file, or add --force to replace it.`);
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
 * Removes the drafts that killed processes have left in a folder.
 *
 * @param isMeant tells by a file's own name whether its drafts are meant
 */
export function removeLeftovers(folder: string, isMeant: (name: string) => boolean): void {
  for (const name of namesIn(folder)) {
    const [, file = "", pid] = /^(.+)\.(\d+)\.draft(?:-\w+)?$/.exec(name) ?? [];
    if (pid === undefined || !isMeant(file)) continue;
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > FORSAKEN_MS || (age > LEFTOVER_MS && !isAlive(Number(pid)))) rmSync(path, { force: true });
  }
}

/** What is in a folder, as far as that can be told. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // What is not there yet, or may not be listed, may still be written to; where it may not, that will be said.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is alive too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
