import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "./source.ts";

const MAIN = join(import.meta.dir, "../../client/main.ts");

/** Types of the contract for which the client has its own: `StoreEvent`, the options of a call, and parameters. */
const INTERNAL = new Set(["Event", "GetOrderQuery", "OrderInput", "OrderUpdate"]);

/** `client/main.ts` as it is, with the names of all types that `client/contract.ts` declares. */
export function clientMain(contract: string): string {
  const types = [...contract.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => name as string,
  );
  const names = types.filter((name) => !INTERNAL.has(name)).sort();
  return format(
    readFileSync(MAIN, "utf8").replace(
      /export type \{[^}]*\} from "\.\/contract\.ts";/,
      `export type { ${names.join(", ")} } from "./contract.ts";`,
    ),
  );
}
