import { type Animal, getPet, listPets } from "../../client/contract.ts";
import type { Call, Exchange } from "../browser/call.ts";
import { refusalOf } from "../browser/refusal.ts";
import { OFFERS_GET_PET } from "./offers.ts";
import { nextOf, resultOf } from "./result.ts";
import type { Service } from "./service.ts";

/** What a search by id found: the animal, that there is none, or a response that ended it. */
type Finding =
  | { readonly kind: "found"; readonly animal: Animal }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly exchange: Exchange };

/** Positive integers of 64 bits have at most 19 digits. */
const ID = /^[1-9]\d{0,18}$/;

/**
 * Finds an animal by its id: by `getPet`, and once that is removed by reading the list up to the id. Only the service can
 * make a page's cursor, so a search begins at the first page, or at the last page before the id that an earlier one saw.
 */
export class AnimalFinder {
  readonly #call: Service["call"];
  #isRemoved = !OFFERS_GET_PET;
  /** Links to pages, each with the last id before it, in ascending order. */
  readonly #links: { readonly after: bigint; readonly link: string }[] = [];

  constructor(call: Service["call"]) {
    this.#call = call;
  }

  /** @param onPage is told the last id of each page of the list that was read */
  async find(id: string, signal: AbortSignal, onPage: (last: bigint) => void): Promise<Finding> {
    if (!this.#isRemoved) {
      const exchange = await this.#get(`/pets/${encodeURIComponent(id)}`, signal);
      const animal = resultOf(exchange.response, getPet);
      if (animal) return { kind: "found", animal };
      this.#isRemoved =
        exchange.response !== undefined && refusalOf(exchange.response).code === "operation_removed";
      if (!this.#isRemoved) return { kind: "refused", exchange };
    }
    return ID.test(id) ? this.#search(BigInt(id), signal, onPage) : { kind: "missing" };
  }

  async #search(id: bigint, signal: AbortSignal, onPage: (last: bigint) => void): Promise<Finding> {
    let path: string | undefined = this.#links.findLast(({ after }) => after < id)?.link ?? "/pets?limit=100";
    while (path !== undefined) {
      const exchange: Exchange = await this.#get(path, signal);
      const animals = resultOf(exchange.response, listPets);
      if (!exchange.response || !animals) return { kind: "refused", exchange };
      const animal = animals.find((each) => BigInt(each.id) === id);
      if (animal) return { kind: "found", animal };
      const last = animals.at(-1)?.id;
      if (last === undefined || BigInt(last) > id) break;
      path = nextOf(exchange.response);
      if (path && BigInt(last) > (this.#links.at(-1)?.after ?? 0n))
        this.#links.push({ after: BigInt(last), link: path });
      onPage(BigInt(last));
    }
    return { kind: "missing" };
  }

  #get(path: string, signal: AbortSignal): Promise<Exchange> {
    const call: Call = { method: "GET", path, headers: {} };
    return this.#call(call, { signal });
  }
}
