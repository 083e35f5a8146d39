import { expect } from "bun:test";
import type { ServiceProcess } from "./program.ts";

/** A client of a service process, for tests in which the service or its store fails. */
export class Caller {
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #keepalive: boolean;

  /** @param keepalive whether connections are kept; each of a service's workers has its share of new ones */
  constructor({ address, key }: { readonly address: string; readonly key: string }, keepalive = true) {
    this.#address = address;
    this.#headers = { authorization: `Bearer ${key}` };
    this.#keepalive = keepalive;
  }

  list(query = "limit=100"): Promise<Response> {
    return fetch(`${this.#address}/v1/pets?${query}`, { headers: this.#headers, keepalive: this.#keepalive });
  }

  get(path: string): Promise<Response> {
    return fetch(this.#address + path, { headers: this.#headers, keepalive: this.#keepalive });
  }

  /**
   * Creates an animal. Its name is the `Idempotency-Key`, too, unless another is given, so a repeated call adds no second
   * animal.
   */
  create(name: string, key: string | null = name): Promise<Response> {
    return fetch(`${this.#address}/v1/pets`, {
      method: "POST",
      keepalive: this.#keepalive,
      headers: {
        ...this.#headers,
        "content-type": "application/json",
        ...(key !== null && { "idempotency-key": key }),
      },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
  }

  /** Creates an animal, repeating the request after each 503; returns the number of 503 responses. */
  async createInTheEnd(name: string): Promise<number> {
    for (let refusals = 0; ; refusals++) {
      const answer = await this.create(name);
      if (answer.status === 201) return refusals;
      await expectUnavailable(answer);
      await Bun.sleep(5);
    }
  }

  /** The names of all animals, by following the links. */
  async names(): Promise<string[]> {
    const names: string[] = [];
    for (let query: string | undefined = "limit=100"; query !== undefined; ) {
      const answer = await this.list(query);
      expect(answer.status).toBe(200);
      for (const { name } of (await answer.json()) as { name: string }[]) names.push(name);
      query = /<\/v1\/pets\?([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    return names;
  }
}

/** Expects a 503 with a `Retry-After` and an Error. */
export async function expectUnavailable(answer: Response, code = "store_unavailable"): Promise<void> {
  expect(await answer.json()).toEqual({ code, message: expect.any(String), status: 503 });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
}

/** Sends a create, and says whether its answer has arrived. */
export function startCreate(service: ServiceProcess, name: string) {
  let answered = false;
  const answer = new Caller(service).create(name).finally(() => {
    answered = true;
  });
  return { answer, answered: () => answered };
}
