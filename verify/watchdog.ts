/**
 * Ends instances and removes a folder when this program is gone, however it went: a shell that waits for its
 * standard input to end, and is told meanwhile which process groups there are.
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
      # One that was being started just then was not told of; on Linux it shows by its folder.
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
      // Not of the terminal's group: Ctrl+C is not for it.
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

  /** Nothing is left to end. */
  async dismiss(): Promise<void> {
    this.#tell("over");
    await this.#shell.exited;
  }

  /** Ends everything now. */
  async killAll(): Promise<void> {
    this.#shell.stdin.end();
    await this.#shell.exited;
  }

  #tell(line: string): void {
    this.#shell.stdin.write(`${line}\n`);
    this.#shell.stdin.flush();
  }
}
