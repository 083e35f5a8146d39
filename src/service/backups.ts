import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { namesIn, removeLeftovers } from "../cli/atomic-file.ts";
import { ownCommand } from "../cli/own-command.ts";
import type { Config } from "../config/settings.ts";
import type { EventSink } from "../domain/event.ts";
import { fileOfStore } from "../stores/url.ts";

/** How soon a failed backup is repeated, unless the next one is due earlier. */
const RETRY_MS = 60_000;
/** The least time before the first backup: a start is busy enough. */
const START_MS = 1000;

/**
 * Backs up the store regularly if the configuration says so, until it is stopped. Each backup is made by
 * `animal-store backup` in a process of its own, so that no request waits for it. The newest backup decides when the next
 * one is due: a restart of the service neither skips a backup nor adds one.
 */
export function scheduleBackups(config: Config, emit: EventSink): { stop(): void } {
  const { BACKUP_EVERY: every, BACKUP_DIR: folder, BACKUP_KEEP: keep, DATABASE_URL: url } = config;
  if (every === undefined || folder === undefined) return { stop() {} };
  const store = fileOfStore(url) ?? "";
  const series = new BackupSeries(folder, basename(store).replace(/\.[^.]*$/, ""));
  let running: Bun.Subprocess | undefined;
  let stopped = false;
  const due = series.newestBefore(Date.now()) + every - Date.now();
  let timer = setTimeout(run, Math.max(START_MS, due));

  async function run(): Promise<void> {
    const began = Date.now();
    let next = every as number;
    try {
      const file = series.fileOf(new Date(began));
      await makeBackup(file);
      if (stopped) return;
      emit({ event: "backup_made", file, milliseconds: Date.now() - began });
      series.keepNewest(keep, Date.now());
    } catch (error) {
      if (stopped) return;
      next = Math.min(next, RETRY_MS);
      emit({ event: "backup_failed", error, againInSeconds: Math.round(next / 1000) });
    }
    // The clock may have been set back meanwhile.
    timer = setTimeout(run, Math.min(next, Math.max(0, began + next - Date.now())));
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

/** The backups of one store in a folder. Each name has the time at which the backup began. */
class BackupSeries {
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** @throws the system's error if there is no folder and it cannot be made */
  fileOf(time: Date): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const stamp = time.toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
    return join(this.#folder, `${this.#name}-${stamp}.db`);
  }

  /** When the newest backup up to now began, in milliseconds since 1970; 0 if there is none. */
  newestBefore(now: number): number {
    const times = this.#list().map((name) => this.#beganAt(name));
    return times.find((time) => time <= now) ?? 0;
  }

  /**
   * Deletes all but the newest. Backups with a future time were made while the clock was ahead: they count as the
   * oldest, or they would displace all backups until that time.
   */
  keepNewest(count: number, now: number): void {
    const names = this.#list();
    const past = names.filter((name) => this.#beganAt(name) <= now);
    const ordered = [...past, ...names.filter((name) => !past.includes(name))];
    for (const name of ordered.slice(count)) rmSync(join(this.#folder, name), { force: true });
    removeLeftovers(this.#folder, (name) => this.#includes(name));
  }

  /** The newest first. */
  #list(): string[] {
    return namesIn(this.#folder)
      .filter((name) => this.#includes(name))
      .sort()
      .reverse();
  }

  /** When a backup began, in milliseconds since 1970. */
  #beganAt(name: string): number {
    const stamp = name.slice(this.#name.length + 1, -".db".length);
    return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:")) || 0;
  }

  #includes(name: string): boolean {
    const rest = name.slice(this.#name.length);
    return name.startsWith(this.#name) && /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/.test(rest);
  }
}
