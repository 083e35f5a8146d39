import type { Acts, Witness } from "./acts.ts";
import { readJson } from "./read-json.ts";

/** What a probe must show, for messages. */
const SHAPE = '{"acted":["evt_7_0f5b…"],"animals":{"12":"sold"}}, where "animals" may be missing';

/** An address of a receiver that shows what it has done. */
export class Probe implements Witness {
  readonly #url: URL;

  constructor(url: URL) {
    this.#url = url;
  }

  async read(): Promise<Acts> {
    const shown = await readJson(this.#url);
    const { acted, animals } = (shown ?? {}) as { readonly acted?: unknown; readonly animals?: unknown };
    const isShown = Array.isArray(acted) && acted.every((id) => typeof id === "string");
    if (!isShown || !isTexts(animals)) throw new Error(`it must show an object such as ${SHAPE}`);
    return {
      count: ({ id }) => acted.filter((each) => each === id).length,
      areCalls: false,
      animals: animals && Object.keys(animals),
      status: (animal) => animals?.[`${animal}`],
    };
  }
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> | undefined {
  if (value === undefined) return true;
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((each) => typeof each === "string")
  );
}
