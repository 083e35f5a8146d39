import type { AnimalStore } from "../../client/animal-store.ts";

/** Where the requests go, and how many there are. */
export interface Load {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly rounds: number;
  readonly requests: number;
  /** How many are in progress at a time. */
  readonly clients: number;
}

/** Requests a second, a figure for each round, by the name of the work and then of the side. */
export type Rates = Record<string, Record<string, number[]>>;

/** Measures the client beside plain `fetch` in the runtime that calls it; the sides take turns in each round. */
export async function measure(Client: typeof AnimalStore, load: Load): Promise<Rates> {
  const rates: Rates = {};
  for (const [work, sides] of Object.entries(worksOf(Client, load))) {
    const names = Object.keys(sides);
    const figures: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
    rates[work] = figures;
    for (let round = -1; round < load.rounds; round++) {
      const turn = Math.max(0, round) % names.length;
      for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
        const rate = await rateOf(sides[name] as () => Promise<unknown>, load);
        // The first round warms up.
        if (round >= 0) figures[name]?.push(rate);
      }
    }
  }
  return rates;
}

type Works = Record<string, Record<string, () => Promise<unknown>>>;

/**
 * The plain side does what a short program does by hand: it rounds, and keeps and repeats nothing. Its creates have an
 * `Idempotency-Key` too, since the service does more work for one.
 */
function worksOf(Client: typeof AnimalStore, { baseUrl, apiKey }: Load): Works {
  const store = new Client({ baseUrl, apiKey, cacheSize: 0 });
  const caching = new Client({ baseUrl, apiKey });
  const headers = { authorization: `Bearer ${apiKey}` };
  const get = async (path: string) => (await fetch(baseUrl + path, { headers })).json();
  const json = { ...headers, "content-type": "application/json" };
  const post = async (body: object) => {
    const headers = { ...json, "idempotency-key": crypto.randomUUID() };
    return (await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const list = async (client: AnimalStore, categories: "small" | "large") =>
    (await client.pets.list({ limit: 20, status: categories === "small" ? "available" : "sold" }).firstPage())
      .items;
  return {
    "a page of 20, small integers": {
      "plain fetch": () => get("/pets?limit=20&status=available"),
      client: () => list(store, "small"),
      "client, ETag reuse": () => list(caching, "small"),
    },
    "a page of 20, integers past 2^53": {
      "plain fetch": () => get("/pets?limit=20&status=sold"),
      client: () => list(store, "large"),
      "client, ETag reuse": () => list(caching, "large"),
    },
    "a create": {
      "plain fetch": () => post({ name: "Rex", categoryId: 7, status: "pending" }),
      client: () => store.pets.create({ name: "Rex", categoryId: 7n, status: "pending" }),
    },
  };
}

async function rateOf(work: () => Promise<unknown>, { requests, clients }: Load): Promise<number> {
  let left = requests;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await work();
    }),
  );
  return (requests / (performance.now() - begun)) * 1000;
}
