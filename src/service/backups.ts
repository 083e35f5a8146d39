import { accessSync, constants, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../config/settings.ts";
import type { ObservationSink } from "../observations/observation.ts";
import { namesIn, removeLeftovers } from "../process/atomic-file.ts";
import { ownCommand } from "../process/own-command.ts";
import { type Backups, backupsOf, storeOfBackup } from "../stores/backups.ts";

/** How soon a failed backup is repeated, unless the next one is due earlier. */
const RETRY_MS = 60_000;
/** The least time before the first backup: a start is busy enough. */
const START_MS = 1000;

/**
 * The backups of the store, if the configuration asks for regular ones. Their code is loaded before the service listens: its
 * clients could take the file descriptors that loading needs, and the runtime never again reads a module that it could not open.
 *
 * @throws UnusableStore
 */
export async function regularBackups({ BACKUP_EVERY, DATABASE_URL }: Config): Promise<Backups | undefined> {
  return BACKUP_EVERY === undefined
    ? undefined
    : backupsOf(DATABASE_URL, "PostgreSQL has its own tools for backups.");
}

/**
 * Backs up the store regularly if the configuration says so, until it is stopped. Each backup is made by
 * `animal-store backup` in a process of its own, so that no request waits for it. The newest backup decides when the next
 * one is due: a restart of the service neither skips a backup nor adds one.
 */
export function scheduleBackups(
  config: Config,
  backups: Backups | undefined,
  emit: ObservationSink,
): { stop(): void } {
  const { BACKUP_EVERY: every, BACKUP_DIR: folder } = config;
  return every === undefined || folder === undefined || !backups
    ? { stop() {} }
    : scheduleEvery(every, folder, backups, config, emit);
}

function scheduleEvery(
  every: number,
  folder: string,
  backups: Backups,
  { BACKUP_KEEP: keep, DATABASE_URL: url }: Config,
  emit: ObservationSink,
): { stop(): void } {
  let running: Bun.Subprocess | undefined;
  let stopped = false;
  let timer = setTimeout(start);

  /** Reports at once whether backups can be made at all, and where they stand. */
  async function start(): Promise<void> {
    try {
      const series = openSeries(backups, folder);
      const newest = await series.newestBefore(Date.now());
      if (stopped) return;
      emit({ event: "backups_scheduled", folder, newest, ...series.facts() });
      timer = setTimeout(run, Math.max(START_MS, newest + every - Date.now()), series);
    } catch (error) {
      if (!stopped) timer = setTimeout(start, reportFailure(error));
    }
  }

  async function run(series: BackupSeries): Promise<void> {
    const began = Date.now();
    let next = every;
    try {
      const file = series.fileOf(new Date(began));
      await makeBackup(file);
      if (stopped) return;
      emit({ event: "backup_made", file, milliseconds: Date.now() - began });
      await series.keepNewest(keep, Date.now());
    } catch (error) {
      if (stopped) return;
      next = reportFailure(error);
    }
    // The clock may have been set back meanwhile.
    if (!stopped) timer = setTimeout(run, Math.min(next, Math.max(0, began + next - Date.now())), series);
  }

  /** Returns after how many milliseconds to try again. */
  function reportFailure(error: unknown): number {
    const next = Math.min(every, RETRY_MS);
    emit({ event: "backup_failed", error, againInSeconds: Math.round(next / 1000) });
    return next;
  }

  async function makeBackup(file: string): Promise<void> {
    const command = ownCommand("backup", file, "--database", url);
    running = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const output = await new Response(running.stderr as ReadableStream).text();
    const exitCode = await running.exited;
    if (exitCode !== 0) throw new Error(output.trim() || `the backup ended with exit code ${exitCode}`);
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      running?.kill();
    },
  };
}

/**
 * @throws UnusableStore if the store cannot be identified, or the system's error if backups cannot be written to the folder
 *   and deleted there
 */
function openSeries({ store, identify }: Backups, folder: string): BackupSeries {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  return new BackupSeries(folder, basename(store).replace(/\.[^.]*$/, ""), identify());
}

/** The time at the end of a name, which follows the beginning of an identity or, in older backups, only the base name. */
const TIME = /-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\.db$/;
/** How many digits of its store's identity the name of a backup has. The whole identity is in the file. */
const DIGITS = 8;

/**
 * The backups of one store in a folder, where other stores, also of the same file name, may have theirs. Each name has the
 * beginning of the store's identity, and the time at which the backup began.
 */
class BackupSeries {
  readonly #folder: string;
  readonly #name: string;
  readonly #identity: string;

  constructor(folder: string, name: string, identity: string) {
    this.#folder = folder;
    this.#name = name;
    this.#identity = identity;
  }

  /** The store's identity, and how many backups of this name are from before stores had an identity. */
  facts(): { identity: string; unidentified: number } {
    const older = namesIn(this.#folder).filter((name) => name.replace(TIME, "") === this.#name);
    return { identity: this.#identity, unidentified: older.length };
  }

  /** @throws the system's error if there is no folder and it cannot be made */
  fileOf(time: Date): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const stamp = time.toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
    return join(this.#folder, `${this.#name}-${this.#identity.slice(0, DIGITS)}-${stamp}.db`);
  }

  /** When the newest backup up to now began, in milliseconds since 1970; 0 if there is none. */
  async newestBefore(now: number): Promise<number> {
    const times = (await this.#list()).map(beganAt);
    return times.find((time) => time <= now) ?? 0;
  }

  /**
   * Deletes all but the newest. Backups with a future time were made while the clock was ahead: they count as the
   * oldest, or they would displace all backups until that time.
   */
  async keepNewest(count: number, now: number): Promise<void> {
    const names = await this.#list();
    const past = names.filter((name) => beganAt(name) <= now);
    const ordered = [...past, ...names.filter((name) => !past.includes(name))];
    for (const name of ordered.slice(count)) rmSync(join(this.#folder, name), { force: true });
    removeLeftovers(this.#folder, (name) => this.#hasName(name));
  }

  /** The newest first. A name can be given to any file, so the identity in the file decides. */
  async #list(): Promise<string[]> {
    const names = namesIn(this.#folder).filter((name) => this.#hasName(name));
    const stores = await Promise.all(names.map((name) => storeOfBackup(join(this.#folder, name))));
    return names
      .filter((_, index) => stores[index] === this.#identity)
      .sort()
      .reverse();
  }

  #hasName(name: string): boolean {
    return TIME.test(name) && name.replace(TIME, "") === `${this.#name}-${this.#identity.slice(0, DIGITS)}`;
  }
}

/** When a backup began, in milliseconds since 1970. */
function beganAt(name: string): number {
  const [, stamp = ""] = TIME.exec(name) ?? [];
  return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:")) || 0;
}
