/** Where a command runs, and what it has in its environment beside that of the tests. */
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
  [program, ...args]: readonly string[],
  { cwd, env = {} }: CommandOptions,
): Promise<{ stdout: string; stderr: string }> {
  const child = Bun.spawn([program as string, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode === 0) return { stdout, stderr };
  throw new Error(`${program} ${args.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
}
