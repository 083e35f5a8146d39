/**
 * Kills instances and removes a folder when this process ends, however it ends: a shell that waits for its
 * standard input to close, and learns through it which process groups exist.
 */
export class Watchdog {
  readonly #shell: Bun.Subprocess<"pipe", "ignore", "ignore">;

  /** @param folder what to remove in the end */
  constructor(folder: string) {
    const script = `
      groups=" "
      while read -r what group; do
        case $what in
          began) groups="$groups$group " ;;
          ended) groups="\${groups%% $group *} \${groups#* $group }" ;;
          over) exit ;;
        esac
      done
      for group in $groups; do kill -KILL -"$group"; done
      # An instance that was just starting is not known yet; on Linux its current folder identifies it.
      for _ in 1 2; do
        for process in /proc/[0-9]*; do
          case $(readlink "$process/cwd") in "$1"/*) kill -KILL "\${process##*/}" ;; esac
        done
        sleep 0.2
      done
      rm -rf -- "$1"`;
    this.#shell = Bun.spawn(["sh", "-c", script, "sh", folder], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      // In a group of its own: Ctrl+C in the terminal must not reach it.
      detached: true,
    });
    this.#shell.unref();
  }

  began(group: number): void {
    this.#tell(`began ${group}`);
  }

  ended(group: number): void {
    this.#tell(`ended ${group}`);
  }

  /** Ends the watchdog: nothing is left to kill. */
  async dismiss(): Promise<void> {
    this.#tell("over");
    await this.#shell.exited;
  }

  /** Kills everything now. */
  async killAll(): Promise<void> {
    this.#shell.stdin.end();
    await this.#shell.exited;
  }

  #tell(line: string): void {
    this.#shell.stdin.write(`${line}\n`);
    this.#shell.stdin.flush();
  }
}
