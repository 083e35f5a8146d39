import { ContractViolation } from "../../contract/contract-violation.ts";
import type { Random } from "../random.ts";
import type { Query } from "./expectation.ts";

/** The filters of a list by the names of their parameters. */
export type Filters<Name extends string> = Readonly<Record<Name, string | undefined>>;

/** A position in a list, as a client remembers it: a cursor and the filters that it was issued for. */
interface Position<Name extends string> {
  readonly cursor: string;
  readonly filters: Filters<Name>;
}

/** The most positions that are remembered of each list. */
const POSITIONS_MAX = 2000;

/** The positions in a list that the service has issued. */
export class Positions<Name extends string> {
  readonly #names: readonly Name[];
  readonly #all: Position<Name>[] = [];
  /** The id after which each of these cursors continues, by `#keyOf`. */
  readonly #afterOf = new Map<string, number>();

  /** @param names the parameters that filter the list */
  constructor(names: readonly Name[]) {
    this.#names = names;
  }

  any(random: Random): Position<Name> | undefined {
    return this.#all.length > 0 ? random.pick(this.#all) : undefined;
  }

  /** The id after which a page begins; `undefined` if its cursor was not issued for these filters. */
  after(cursor: string | undefined, filters: Filters<Name>): number | undefined {
    return cursor === undefined ? 0 : this.#afterOf.get(this.#keyOf({ cursor, filters }));
  }

  /**
   * Records the link of a page to its next one.
   *
   * @param last the last id of the page
   * @throws ContractViolation if the link has no cursor, or does not keep the limit and the filters
   */
  learn(next: Query, last: number, limit: string, filters: Filters<Name>): void {
    const [cursor, ...others] = next.get("cursor") ?? [];
    if (cursor === undefined || others.length > 0) throw new ContractViolation("the link has no cursor");
    const keeps =
      next.get("limit")?.join() === limit &&
      this.#names.every((name) => next.get(name)?.join() === filters[name]);
    if (!keeps) throw new ContractViolation("the link does not keep limit and filters");
    const position = { cursor, filters };
    // One entry for each position: replacing one of two would forget where the other leads.
    if (this.#afterOf.has(this.#keyOf(position))) return;
    const at = this.#all.length < POSITIONS_MAX ? this.#all.length : last % POSITIONS_MAX;
    const former = this.#all[at];
    if (former) this.#afterOf.delete(this.#keyOf(former));
    this.#all[at] = position;
    this.#afterOf.set(this.#keyOf(position), last);
  }

  #keyOf({ cursor, filters }: Position<Name>): string {
    return [cursor, ...this.#names.map((name) => filters[name] ?? "")].join(" ");
  }
}
