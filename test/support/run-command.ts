import { Child } from "../../verify/child.ts";

/** Where a command runs, and its environment in addition to that of the tests. */
export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a command to its end.
 * @returns what it wrote
 * @throws Error with all that it wrote, where it fails
 */
export async function runCommand(
  command: readonly string[],
  { cwd, env = {} }: CommandOptions,
): Promise<{ stdout: string; stderr: string }> {
  const child = new Child(command, { cwd, env: { ...process.env, ...env } });
  const { exitCode, stdout, stderr } = await child.ended();
  if (exitCode === 0) return { stdout, stderr };
  throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
}
