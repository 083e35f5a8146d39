/**
 * The path of a program of the machine that a suite cannot do without.
 * @param debianPackage that has it, where its name is another
 * @throws Error that names the package
 */
export function requiredProgram(name: string, debianPackage = name): string {
  const found = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });
  if (!found) throw new Error(`this suite needs ${name}: apt-get install ${debianPackage}`);
  return found;
}
