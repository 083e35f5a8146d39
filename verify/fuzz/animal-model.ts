import { type Animal, animalOf, type Content, isSame, parseExact, STATUSES } from "../../contract/animal.ts";
import { ContractViolation } from "../../contract/contract-violation.ts";
import { fitsAll, PETS } from "../../contract/lists.ts";
import type { Random } from "../random.ts";
import { judgeBody } from "./body-model.ts";
import { type Expectation, isId, type Query } from "./expectation.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { ListModel } from "./list-model.ts";
import { isOrderable } from "./order-model.ts";
import type { Filters } from "./positions.ts";
import { type FuzzRequest, headerOf } from "./request.ts";

/** The parameters that filter the list of animals. */
type AnimalFilter = keyof typeof PETS.filters;

interface Stored extends Content {
  readonly id: number;
}

const NOT_FOUND: Expectation = { outcomes: ["404 animal_not_found"], deprecated: true };

/** Ids this far above the highest known one may be stored: on their way, or without a response. */
const UNSEEN_MAX = 10_000;

/** The part of the model that knows animals. */
export class AnimalModel {
  readonly #areOrdered: boolean;
  readonly #animals = new Map<number, Stored>();
  /** The highest id known. */
  #highest = 0;
  readonly #list = new ListModel(PETS, { status: (value) => STATUSES.some((status) => status === value) });
  readonly positions = this.#list.positions;
  /** The keys that created an animal. */
  readonly keys = new IdempotencyKeys<Stored>();
  readonly #tags = new Map<number, string>();
  /** The number of creates that may have been stored. */
  #doubtful = 0;

  /** @param areOrdered whether orders change the status of some animals */
  constructor(areOrdered: boolean) {
    this.#areOrdered = areOrdered;
  }

  get size(): number {
    return this.#animals.size;
  }

  /** The highest id known, at least 1. */
  get highest(): number {
    return Math.max(1, this.#highest);
  }

  /** The id of a known animal, mostly, for the generator. */
  anId(random: Random): number {
    return random.between(1, this.highest);
  }

  /** The last `ETag` of an animal. */
  tagOf(id: number): string | undefined {
    return this.#tags.get(id);
  }

  /** Whether an animal was available when it was created; `undefined` if it is unknown. */
  isAvailable(id: number): boolean | undefined {
    const animal = this.#animals.get(id);
    return animal && animal.status === "available";
  }

  mayExist(id: bigint): boolean {
    return id > 0n && id <= BigInt(this.#highest + UNSEEN_MAX);
  }

  /** Records that up to `creates` creates may have been stored, although no response came. */
  doubt(creates: number): void {
    this.#doubtful += creates;
  }

  /** Records an animal that was acknowledged although its create was in doubt. */
  learnDoubtful(value: unknown): void {
    this.#learn(numbered(animalOf(value)));
    this.#doubtful--;
  }

  /** @param isKeyTaken whether the request's `Idempotency-Key` placed an order */
  expectCreate(body: Uint8Array, key: string | undefined, isKeyTaken: boolean): Expectation {
    const content = judgeBody(body);
    if (content === "body_too_large") return { outcomes: ["413 body_too_large"] };
    if (typeof content === "string") return { outcomes: [`400 ${content}`] };
    const earlier = this.keys.get(key);
    if (isKeyTaken || (earlier && !isSame(earlier, content)))
      return { outcomes: ["422 idempotency_key_reused"] };
    const highestBefore = this.#highest;
    return {
      outcomes: ["201"],
      check: (body, { headers }) => {
        const stored = numbered(animalOf(parseExact(body)));
        if (!isSame(stored, content)) throw new ContractViolation("another animal was stored than was sent");
        if (headers.get("location") !== `/v1/pets/${stored.id}`)
          throw new ContractViolation("Location is not of this animal");
        if (earlier && stored.id !== earlier.id)
          throw new ContractViolation(`the first response had the id ${earlier.id}`);
        if (earlier) return;
        if (stored.id <= highestBefore)
          throw new ContractViolation(`ids ascend, and ${highestBefore} was given before`);
        this.#learn(stored);
        this.keys.set(key, stored);
      },
    };
  }

  expectItem(request: FuzzRequest, text: string): Expectation {
    if (!isId(text)) return NOT_FOUND;
    const id = Number(text);
    const known = this.#animals.get(id);
    if (!known && !this.mayExist(BigInt(text))) return NOT_FOUND;
    const condition = headerOf(request, "if-none-match");
    const tag = this.#tags.get(id);
    const notModified = condition === "*" || (tag !== undefined && condition?.includes(tag));
    const isSteady = known !== undefined && this.#isSteady(id);
    const possible = ["200", "304", ...(known ? [] : NOT_FOUND.outcomes)];
    return {
      outcomes: isSteady ? [notModified ? "304" : "200"] : possible,
      deprecated: true,
      check: (body, { headers, status }) => {
        const given = headers.get("etag") ?? "";
        if (!/^"[\x21\x23-\x7e]+"$/.test(given)) throw new ContractViolation("the ETag is not a strong one");
        if (isSteady) {
          if (tag !== undefined && tag !== given)
            throw new ContractViolation(`an unchanged animal had the tag ${tag}`);
          this.#tags.set(id, given);
        }
        if (status === 304 || request.method === "HEAD") return;
        const stored = numbered(animalOf(parseExact(body)));
        if (stored.id !== id || (known && !this.#isSame(known, stored)))
          throw new ContractViolation("it is another animal");
      },
    };
  }

  expectList(request: FuzzRequest, query: Query): Expectation {
    return this.#list.expect(request, query, (filters, after) => {
      const highestBefore = this.#highest;
      return ({ items, last, more }) => {
        const page = items.map(numbered);
        for (const stored of page) this.#assertAsKnown(stored);
        // Without a link to more, the page reaches to the end of the list.
        const end = more ? last : Math.max(last, highestBefore);
        this.#assertNoneMissing(new Set(page.map(({ id }) => id)), after, end, filters);
      };
    });
  }

  /** Asserts that a part of the list has each known animal that belongs there. */
  #assertNoneMissing(
    shown: ReadonlySet<number>,
    after: number,
    end: number,
    filters: Filters<AnimalFilter>,
  ): void {
    for (let id = after + 1; id <= end; id++) {
      const known = shown.has(id) ? undefined : this.#animals.get(id);
      const belongs =
        known &&
        (filters.status === undefined || this.#isSteady(id)) &&
        fitsAll(PETS, { ...known, id: BigInt(id) }, filters);
      if (belongs) throw new ContractViolation(`animal ${id} is missing`);
    }
  }

  /** Returns whether the animal is known. */
  #assertAsKnown(stored: Stored): boolean {
    const known = this.#animals.get(stored.id);
    if (known && !this.#isSame(known, stored))
      throw new ContractViolation(`animal ${stored.id} is not as it was stored`);
    return known !== undefined;
  }

  /** Compares the whole stock, as the pages have it, with everything that was answered. */
  checkStock(stock: readonly Animal[]): void {
    const known = stock.filter((animal) => this.#assertAsKnown(numbered(animal)));
    const gone = this.#animals.size - known.length;
    if (gone > 0) throw new ContractViolation(`${gone} acknowledged animals are gone`);
    const unsent = stock.length - known.length - this.#doubtful;
    if (unsent > 0) throw new ContractViolation(`${unsent} animals are there that nobody sent`);
  }

  #learn(stored: Stored): void {
    const { id } = stored;
    if (this.#animals.has(id)) throw new ContractViolation(`the id ${id} was given twice`);
    this.#animals.set(id, stored);
    this.#highest = Math.max(id, this.#highest);
  }

  /** Whether an animal is as it was created; another may have been ordered, which changes its status. */
  #isSteady(id: number): boolean {
    return !this.#areOrdered || !isOrderable(id);
  }

  #isSame(known: Stored, seen: Stored): boolean {
    return isSame(this.#isSteady(known.id) ? known : { ...known, status: seen.status }, seen);
  }
}

/** An animal with its id as a number: the stock of a run is small enough. */
function numbered(animal: Animal): Stored {
  return { ...animal, id: Number(animal.id) };
}
