import { Child } from "./child.ts";
import { type Program, ProgramFailed } from "./program.ts";
import type { TestStore } from "./testbed/testbed.ts";

/** The commands of the program on one store. */
export class StoreCommands {
  readonly #program: Program;
  readonly #folder: string;

  constructor(program: Program, { url, folder }: Pick<TestStore, "url" | "folder">) {
    this.#program = { ...program, environment: { ...program.environment, DATABASE_URL: url } };
    this.#folder = folder;
  }

  /**
   * Runs a command to its end and returns what it printed.
   *
   * @throws ProgramFailed
   */
  async run(...args: readonly string[]): Promise<string> {
    const { command, environment, signal } = this.#program;
    signal.throwIfAborted();
    const child = new Child([...command, ...args], { cwd: this.#folder, env: environment });
    const { exitCode, stdout, stderr } = await child.ended();
    if (exitCode === 0) return stdout;
    throw new ProgramFailed(`\`animal-store ${args[0]}\` ended with ${exitCode}: ${stderr.trim()}`);
  }

  /** Creates an API key, and returns it. */
  async createKey(name: string, ...flags: readonly string[]): Promise<string> {
    return (await this.run("keys", "create", "--name", name, ...flags)).trim();
  }

  /** The id of the key that was created last. */
  async lastKeyId(): Promise<string> {
    const keys = JSON.parse(await this.run("keys", "list", "--json")) as { readonly id: number }[];
    return `${keys.at(-1)?.id}`;
  }

  /** Revokes the key that was created last. */
  async revokeLastKey(): Promise<void> {
    await this.run("keys", "revoke", await this.lastKeyId());
  }
}
