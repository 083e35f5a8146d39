import { expect } from "bun:test";
import type { Caller } from "./caller.ts";

export interface Animal {
  readonly id: number;
  readonly name: string;
}

/** A client that walks a list, and returns with its last cursor to fetch only what is new. */
export class Walker {
  readonly #caller: Pick<Caller, "list">;
  /** The last page, which has no next page yet, and its items. */
  #page: string;
  #held: Animal[] = [];
  /** Everything that it has seen, in order. */
  readonly seen: Animal[] = [];

  constructor(caller: Pick<Caller, "list">, limit: number) {
    this.#caller = caller;
    this.#page = `limit=${limit}`;
  }

  /** Walks on to the present end of the list: earlier items stay, and new ones follow them. */
  async goOn(): Promise<void> {
    for (;;) {
      const answer = await this.#caller.list(this.#page);
      expect(answer.status).toBe(200);
      const animals = (await answer.json()) as Animal[];
      expect(animals.slice(0, this.#held.length)).toEqual(this.#held);
      for (const animal of animals.slice(this.#held.length)) {
        expect(animal.id).toBeGreaterThan(this.seen.at(-1)?.id ?? 0);
        this.seen.push(animal);
      }
      this.#held = animals;
      const next = /<\/v1\/pets\?([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      if (next === undefined) return;
      this.#page = next;
      this.#held = [];
    }
  }
}
