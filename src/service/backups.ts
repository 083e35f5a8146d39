import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { namesIn, removeLeftovers } from "../cli/atomic-file.ts";
import type { Config } from "../config/settings.ts";
import type { EventSink } from "../domain/event.ts";
import { fileOfStore } from "../stores/url.ts";

/** After a failure it is tried again so soon, or when the next is due if that is sooner. */
const RETRY_MS = 60_000;
/** A start is busy enough by itself. */
const START_MS = 1000;

/**
 * Backs the store up by itself every so often, where the configuration says so, until it is stopped. Each
 * backup is made by `animal-store backup` in a process of its own, so that no request waits for it. What is
 * due goes by the newest backup that there is: a restart neither skips one nor makes one more.
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
    // The clock may have been put right meanwhile.
    timer = setTimeout(run, Math.min(next, Math.max(0, began + next - Date.now())));
  }

  async function makeBackup(file: string): Promise<void> {
    const command = [process.execPath, ...process.execArgv, Bun.main, "backup", file, "--database", url];
    running = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const said = await new Response(running.stderr as ReadableStream).text();
    const exitCode = await running.exited;
    if (exitCode !== 0) throw new Error(said.trim() || `the backup ended with ${exitCode}`);
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      running?.kill();
    },
  };
}

/** The backups of one store in a folder, told from other files by their names, which say when each was begun. */
class BackupSeries {
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** @throws the system's error where there is no folder and none can be made */
  fileOf(time: Date): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const stamp = time.toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
    return join(this.#folder, `${this.#name}-${stamp}.db`);
  }

  /** When the newest was begun that a clock can know of; milliseconds since 1970, and 0 where there is none. */
  newestBefore(now: number): number {
    const past = this.#list().map((name) => this.#begun(name));
    return past.find((begun) => begun <= now) ?? 0;
  }

  /**
   * Removes all but the newest. Those of a time to come were made while the clock was ahead: they count as the
   * oldest, or they would take the place of all that are made until then.
   */
  keepNewest(count: number, now: number): void {
    const names = this.#list();
    const past = names.filter((name) => this.#begun(name) <= now);
    const ordered = [...past, ...names.filter((name) => !past.includes(name))];
    for (const name of ordered.slice(count)) rmSync(join(this.#folder, name), { force: true });
    removeLeftovers(this.#folder, (name) => this.#isOne(name));
  }

  /** The newest first. */
  #list(): string[] {
    return namesIn(this.#folder)
      .filter((name) => this.#isOne(name))
      .sort()
      .reverse();
  }

  /** When a backup of this series was begun, in milliseconds since 1970. */
  #begun(name: string): number {
    const stamp = name.slice(this.#name.length + 1, -".db".length);
    return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:")) || 0;
  }

  #isOne(name: string): boolean {
    const rest = name.slice(this.#name.length);
    return name.startsWith(this.#name) && /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/.test(rest);
  }
}
