/**
 * The path of a program of the machine that a suite cannot do without.
 * @param name of the program and of its Debian package
 */
export function requiredProgram(name: string): string {
  const found = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });
  if (!found) throw new Error(`this suite needs ${name}: apt-get install ${name}`);
  return found;
}
