// Prints for `.ci/run` the `names` of the suites, the Debian `packages` that they need, or today's `experiments` of the bench.
import { SUITES } from "../suites/catalogue.ts";
import { shareOf } from "../suites/share.ts";

/** What shows that the bench runs, in the order of its help. */
const EXPERIMENTS =
  "list pages create mix clients-get latency start orders status-changes feed deliveries".split(" ");

const [what] = Bun.argv.slice(2);
if (what === "names") print(SUITES.map(({ name }) => name));
if (what === "packages") print([...new Set(SUITES.flatMap(({ packages }) => packages))]);
if (what === "experiments") print([shareOf(EXPERIMENTS).join(",")]);

function print(words: readonly string[]): void {
  console.log(words.join("\n"));
}
