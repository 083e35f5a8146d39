// Prints for `.ci/run` the `names` of the suites, or the Debian `packages` that they need.
import { SUITES } from "../suites/catalogue.ts";

const [what] = Bun.argv.slice(2);
const words =
  what === "packages" ? new Set(SUITES.flatMap(({ packages }) => packages)) : SUITES.map(({ name }) => name);
console.log([...words].join("\n"));
