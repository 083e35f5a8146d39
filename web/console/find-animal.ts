import { getPet } from "../../client/contract.ts";
import { loadScript } from "../browser/load-script.ts";
import { refusalOf } from "../browser/refusal.ts";
import type { Finding, findInList, PageLink } from "./find-in-list.ts";
import { OFFERS_GET_PET } from "./offers.ts";
import { resultOf } from "./result.ts";
import type { Service } from "./service.ts";

/** Finds an animal by its id: by `getPet`, and once that is removed by reading the list up to the id. */
export class AnimalFinder {
  readonly #call: Service["call"];
  #isRemoved = !OFFERS_GET_PET;
  readonly #links: PageLink[] = [];

  constructor(call: Service["call"]) {
    this.#call = call;
  }

  /** @param onPage is told the last id of each page of the list that was read */
  async find(id: string, signal: AbortSignal, onPage: (last: bigint) => void): Promise<Finding> {
    if (!this.#isRemoved) {
      const call = { method: "GET", path: `/pets/${encodeURIComponent(id)}`, headers: {} };
      const { response } = await this.#call(call, { signal });
      const animal = resultOf(response, getPet);
      if (animal) return { kind: "found", animal };
      this.#isRemoved = response !== undefined && refusalOf(response).code === "operation_removed";
      if (!this.#isRemoved) return { kind: "refused", response };
    }
    try {
      const script = await loadScript<{ readonly findInList: typeof findInList }>("find");
      return await script.findInList(this.#call, this.#links, id, signal, onPage);
    } catch {
      // The script cannot be loaded, as where the service is gone.
      return { kind: "refused", response: undefined };
    }
  }
}
