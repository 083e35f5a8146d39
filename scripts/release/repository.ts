import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Repository {
  readonly url?: string;
  readonly directory?: string;
}

/** What keeps users of the Debian package from reaching us: it names the author of `package.json` as its maintainer. */
export function maintainerProblems(root: string): string[] {
  const { author = "" } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return /^[^<>]+ <[^<>@\s]+@(?!example\.)[^<>@\s]+>$/.test(author)
    ? []
    : [
        `fill in before publishing: an address that maintainers read, as author in package.json; it has ${author}`,
      ];
}

/**
 * What keeps npm from showing where the packages come from: `repository` of both `package.json` has to name the public
 * repository, which the provenance of a package is compared with.
 */
export function repositoryProblems(root: string): string[] {
  const read = (file: string): Repository =>
    JSON.parse(readFileSync(join(root, file), "utf8")).repository ?? {};
  const { url } = read("package.json");
  if (!url)
    return [
      'fill in before publishing: {"type": "git", "url": "git+https://HOST/OWNER/NAME.git"} in package.json, ' +
        'and the same with "directory": "client" in client/package.json',
    ];
  const client = read("client/package.json");
  return [
    ...(client.url === url ? [] : [`client/package.json has the url ${client.url}, and package.json ${url}`]),
    ...(client.directory === "client"
      ? []
      : [`client/package.json has the directory ${client.directory}, and would be right with "client"`]),
  ];
}
