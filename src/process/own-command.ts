/** The command line that runs this program again, with these arguments. */
export function ownCommand(...args: readonly string[]): string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath, ...args];
  return [process.execPath, ...process.execArgv, Bun.main, ...args];
}
