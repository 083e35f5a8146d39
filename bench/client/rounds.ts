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

/** What each round of a side measured. */
export interface Figures {
  /** Requests a second. */
  readonly rates: number[];
  /** Microseconds of CPU for a request, of the whole calling process: it varies less on a busy machine. */
  readonly cpuUs: number[];
}

/** By the name of the work, and then of the side. */
export type Measured = Record<string, Record<string, Figures>>;

/**
 * Measures the client in the runtime that calls it, against another version of it, or else against plain `fetch`. The sides
 * take turns in each round.
 */
export async function measure(
  Client: typeof AnimalStore,
  load: Load,
  Other?: typeof AnimalStore,
): Promise<Measured> {
  const measured: Measured = {};
  const works = Other ? { ...worksOf(Client, load), ...aloneOf(Client) } : worksOf(Client, load);
  const others = Other && { ...worksOf(Other, load), ...aloneOf(Other) };
  for (const [work, all] of Object.entries(works)) {
    const sides = others ? versus(all, others[work] as Sides) : all;
    const names = Object.keys(sides);
    const figures: Record<string, Figures> = Object.fromEntries(
      names.map((name) => [name, { rates: [], cpuUs: [] }]),
    );
    measured[work] = figures;
    for (let round = -1; round < load.rounds; round++) {
      const turn = Math.max(0, round) % names.length;
      for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
        const { rate, cpuUs } = await roundOf(sides[name] as () => Promise<unknown>, load);
        // The first round warms up.
        if (round < 0) continue;
        figures[name]?.rates.push(rate);
        figures[name]?.cpuUs.push(cpuUs);
      }
    }
  }
  return measured;
}

/** As long as the client gives an attempt. */
const TIMEOUT_MS = 10_000;

/** The first of them is what the others are compared with. */
type Sides = Readonly<Record<string, () => Promise<unknown>>>;

/** The client's side of a work against that of another version. */
function versus({ client }: Sides, { client: other }: Sides): Sides {
  return { "the other client": other as () => Promise<unknown>, client: client as () => Promise<unknown> };
}

/**
 * The plain side does what a short program does by hand: it rounds, waits without a bound, and keeps and repeats nothing.
 * Its creates have an `Idempotency-Key` too, since the service does more work for one. The side with a timeout also does
 * the least that a program does which runs for long: it bounds the wait, and looks at the status.
 */
function worksOf(Client: typeof AnimalStore, { baseUrl, apiKey }: Load): Readonly<Record<string, Sides>> {
  const store = new Client({ baseUrl, apiKey, cacheSize: 0 });
  const caching = new Client({ baseUrl, apiKey });
  const headers = { authorization: `Bearer ${apiKey}` };
  const get = async (path: string) => (await fetch(baseUrl + path, { headers })).json();
  const checked = (response: Response) => {
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.json();
  };
  const getInTime = async (path: string) =>
    checked(await fetch(baseUrl + path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }));
  const json = { ...headers, "content-type": "application/json" };
  const rex = { name: "Rex", categoryId: 7, status: "pending" };
  const newRex = () => ({
    method: "POST",
    headers: { ...json, "idempotency-key": crypto.randomUUID() },
    body: JSON.stringify(rex),
  });
  const post = async () => (await fetch(`${baseUrl}/pets`, newRex())).json();
  const postInTime = async () =>
    checked(await fetch(`${baseUrl}/pets`, { ...newRex(), signal: AbortSignal.timeout(TIMEOUT_MS) }));
  const list = async (client: AnimalStore, categories: "small" | "large") =>
    (await client.pets.list({ limit: 20, status: categories === "small" ? "available" : "sold" }).firstPage())
      .items;
  return {
    "a page of 20, small integers": {
      "plain fetch": () => get("/pets?limit=20&status=available"),
      "fetch with a timeout": () => getInTime("/pets?limit=20&status=available"),
      client: () => list(store, "small"),
      "client, ETag reuse": () => list(caching, "small"),
    },
    "a page of 20, integers past 2^53": {
      "plain fetch": () => get("/pets?limit=20&status=sold"),
      "fetch with a timeout": () => getInTime("/pets?limit=20&status=sold"),
      client: () => list(store, "large"),
      "client, ETag reuse": () => list(caching, "large"),
    },
    "a create": {
      "plain fetch": post,
      "fetch with a timeout": postInTime,
      client: () => store.pets.create({ name: "Rex", categoryId: 7n, status: "pending" }),
    },
  };
}

const PAGE = JSON.stringify(
  Array.from({ length: 20 }, (_, i) => ({
    id: i,
    name: `Bruno the ${i}th`,
    categoryId: i,
    status: "available",
  })),
);
const CREATED = '{"id":1,"name":"Rex","categoryId":7,"status":"pending"}';

/**
 * The client's own part: its `fetch` returns at once, so that neither a network nor the service is in the figures. They tell
 * versions apart that a busy machine hides.
 */
function aloneOf(Client: typeof AnimalStore): Readonly<Record<string, Sides>> {
  const client = (body: string) => {
    const headers = {
      "content-type": "application/json",
      "content-length": `${body.length}`,
      etag: '"one"',
      "x-request-id": "one",
    };
    const fetch = async () => new Response(body, { headers });
    return new Client({ baseUrl: "http://localhost/v1", apiKey: "key", cacheSize: 0, fetch });
  };
  const [listing, creating] = [client(PAGE), client(CREATED)];
  return {
    "a page of 20, without a network": { client: () => listing.pets.list({ limit: 20 }).firstPage() },
    "a create, without a network": {
      client: () => creating.pets.create({ name: "Rex", categoryId: 7n, status: "pending" }),
    },
  };
}

async function roundOf(
  work: () => Promise<unknown>,
  { requests, clients }: Load,
): Promise<{ readonly rate: number; readonly cpuUs: number }> {
  // No side pays for what another left behind.
  (globalThis as { Bun?: { gc(isSync: boolean): void } }).Bun?.gc(true);
  let left = requests;
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await work();
    }),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  return { rate: (requests / (performance.now() - begun)) * 1000, cpuUs: (user + system) / requests };
}
