import { requiredProgram } from "../../test/support/installed-programs.ts";
import { treeOf } from "../../test/support/processes.ts";
import { TIED } from "../../test/support/program.ts";
import { runCommand } from "../../test/support/run-command.ts";
import { until } from "../../test/support/until.ts";
import { Child } from "../../verify/child.ts";

/** A killed systemd-nspawn leaves its container running. In a namespace of its own, the kernel ends everything with it. */
const ALONE = ["unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child"];

/** A machine that systemd has booted, with processes and a network of its own; `await using` ends it. */
export class Booted implements AsyncDisposable {
  readonly #container: Child;

  /** @param root the machine's files, systemd among them */
  constructor(root: string) {
    const nspawn = requiredProgram("systemd-nspawn", "systemd-container");
    const options = [
      "--quiet",
      "--boot",
      "--register=no",
      "--keep-unit",
      "--private-network",
      "--directory",
      root,
    ];
    this.#container = new Child([...TIED, ...ALONE, nspawn, ...options], { cwd: "/", env: process.env });
  }

  /** Waits until it has started what starts with it. */
  async isUp(): Promise<void> {
    const state = () => this.runs("systemctl is-system-running --wait || true").catch(() => "");
    await until(async () => ["running", "degraded"].includes(await state()));
  }

  /** The ids of all its processes, as this machine sees them: the two that hold it, then its own. */
  processes(): number[] {
    return treeOf(this.#container.pid);
  }

  /** Runs a line for the shell to its end, and returns what it wrote. */
  async runs(line: string): Promise<string> {
    const [, , init] = this.processes();
    const inside = [`--target=${init}`, "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wdns=/"];
    const command = [requiredProgram("nsenter"), ...inside, "sh", "-c", line];
    return (await runCommand(command, { cwd: "/" })).stdout.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#container[Symbol.asyncDispose]();
  }
}
