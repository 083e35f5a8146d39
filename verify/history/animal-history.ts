import type { Status } from "../../contract/animal.ts";
import { assert } from "../../contract/contract-violation.ts";
import {
  animalStatusUnder,
  mayBecome,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  showOrder,
} from "../../contract/order.ts";
import { misfitAmong, type Operation } from "./linearize-object.ts";
import type { OrderPageSeen, Placing, Refusal, Sighting, Traded, Updating } from "./order-records.ts";
import type { Span } from "./page-span.ts";

/** The state of an animal before it is created. The state of one without orders is 0. */
const ABSENT = -1;

/** What clients asked and saw of one animal and its orders, which follow each other. */
export class AnimalHistory {
  readonly #animal: Traded;
  readonly #orders: readonly Order[];
  readonly #operations: Operation[] = [];

  /** @param orders of the animal, all of them, as they are in the end */
  constructor(animal: Traded, orders: readonly Order[]) {
    this.#animal = animal;
    this.#orders = orders;
    const { id, from, to } = animal;
    this.#add({ from, to, request: `the create of animal ${id}` }, "created", false, (state) =>
      state === ABSENT ? 0 : undefined,
    );
  }

  place({ from, to, order, request }: Placing): void {
    const number = order && this.#numberOf(Number(order.id));
    this.#add({ from, to, request }, "placed", false, (state) => {
      const next = this.#ordersIn(state) + 1;
      const isNext = number === undefined ? next <= this.#orders.length : next === number;
      return isNext && this.#statusIn(state) === "available" ? stateOf(next, "placed") : undefined;
    });
  }

  refuse(refusal: Refusal): void {
    const { order } = refusal.placing;
    // Once the order is placed under its key, every repetition has that response.
    const ordersMax = order ? this.#numberOf(Number(order.id)) - 1 : this.#orders.length;
    this.#look(refusal, "not available", (state) => {
      const status = this.#statusIn(state);
      return (status === "pending" || status === "sold") && this.#ordersIn(state) <= ordersMax;
    });
  }

  update({ id, status, done, from, to, request }: Updating): void {
    const span = { from, to, request };
    const isDone = done === undefined ? "unknown" : done ? "done" : "refused";
    if (done === false) {
      this.#look(span, isDone, (state) => {
        const now = this.#orderIn(id, state);
        return now !== undefined && now !== status && !mayBecome(now, status);
      });
      return;
    }
    this.#add(span, isDone, false, (state) => {
      const now = this.#orderIn(id, state);
      if (now === undefined) return undefined;
      if (now === status) return state;
      return mayBecome(now, status) ? stateOf(this.#numberOf(id), status) : undefined;
    });
  }

  see(sighting: Sighting): void {
    const { shown, hiddenFrom } = sighting;
    if (shown !== undefined) this.#look(sighting, shown, (state) => this.#statusIn(state) === shown);
    else
      this.#look(sighting, hiddenFrom ? `not among those ${hiddenFrom}` : "not found", (state) =>
        hiddenFrom === undefined ? state === ABSENT : this.#statusIn(state) !== hiddenFrom,
      );
  }

  seeOrder(id: number, shown: OrderStatus | undefined, span: Span): void {
    if (this.#numberOf(id) > 0)
      this.#look(span, `order ${id} ${shown ?? "not found"}`, (state) => this.#orderIn(id, state) === shown);
  }

  /** Each order of the animal that the page shows, and each that it leaves out for its status. */
  seeOrders(page: OrderPageSeen): void {
    const last = page.more ? (page.ids.at(-1) ?? page.after) : Number.POSITIVE_INFINITY;
    for (const { id, petId } of this.#orders) {
      const number = Number(id);
      const at = page.ids.indexOf(number);
      const isCovered =
        number > page.after && number <= last && (page.petId === undefined || page.petId === Number(petId));
      if (at >= 0) this.seeOrder(number, page.statuses[at], page);
      else if (isCovered)
        this.#look(page, `order ${id} not among those ${page.status ?? "listed"}`, (state) => {
          const now = this.#orderIn(number, state);
          return now === undefined || (page.status !== undefined && now !== page.status);
        });
    }
  }

  /** @throws BrokenPromise */
  judge(): void {
    const misfit = misfitAmong(this.#operations, ABSENT);
    if (!misfit) return;
    const { id, status } = this.#animal;
    const changes = this.#operations.filter(({ isRead }) => !isRead).map(({ describe }) => describe());
    assert(
      false,
      `an order of all that happened to animal ${id}, ${status} at first, in which each response is right`,
      `none for ${misfit.describe()}; its changes:\n${changes.join("\n")}\n${this.#orders.map(showOrder).join("\n")}`,
    );
  }

  #look(span: Span, saw: string, holds: (state: number) => boolean): void {
    this.#add(span, saw, true, (state) => (holds(state) ? state : undefined));
  }

  #add({ from, to, request }: Span, outcome: string, isRead: boolean, apply: Operation["apply"]): void {
    const describe = () => `${request} from ${from.toFixed(3)} to ${to.toFixed(3)} ms: ${outcome}`;
    this.#operations.push({ from, to, isRead, apply, describe });
  }

  /** Which of the animal's orders this is, from 1; 0 for another animal's. */
  #numberOf(id: number): number {
    return this.#orders.findIndex((order) => Number(order.id) === id) + 1;
  }

  #ordersIn(state: number): number {
    return state <= 0 ? 0 : Math.ceil(state / ORDER_STATUSES.length);
  }

  #statusIn(state: number): Status | undefined {
    if (state === ABSENT) return undefined;
    return state === 0 ? this.#animal.status : animalStatusUnder(lastStatusIn(state));
  }

  /** The status of an order; `undefined` while it is not placed. */
  #orderIn(id: number, state: number): OrderStatus | undefined {
    const number = this.#numberOf(id);
    const count = this.#ordersIn(state);
    if (number === count) return lastStatusIn(state);
    // An order that another one follows was cancelled.
    return number < count ? this.#orders[number - 1]?.status : undefined;
  }
}

/** The state of an animal with this many orders, the last of which has a status. */
function stateOf(orders: number, last: OrderStatus): number {
  return (orders - 1) * ORDER_STATUSES.length + ORDER_STATUSES.indexOf(last) + 1;
}

function lastStatusIn(state: number): OrderStatus {
  return ORDER_STATUSES[(state - 1) % ORDER_STATUSES.length] as OrderStatus;
}
