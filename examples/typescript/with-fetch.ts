// Animal Store with plain fetch: create and order with a safe retry, list all pages, handle an error.
//
//   ANIMAL_STORE_URL=http://127.0.0.1:8080/v1 API_KEY=as_live_… node with-fetch.ts   (Node 22.18 or newer, Bun, Deno)
//
// int64: JSON.parse rounds integers past 2^53, and JSON.stringify refuses bigint. A reviver that is given the source text
// reads them exactly (Node 22, Bun, Deno, Chrome 114, Firefox 135, Safari 18.4), and JSON.rawJSON writes them.

// It makes this file a module wherever it stands, so that `await` works outside of functions.
export {};

const { ANIMAL_STORE_URL = "", API_KEY = "" } = process.env;
const RETRYABLE = new Set([408, 429, 502, 503, 504]);
const ATTEMPTS = 5;

interface Animal {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
}

interface Order {
  readonly id: bigint;
  readonly petId: bigint;
  readonly status: string;
}

/** The service's Error: `code` is what to branch on. The page of a proxy is no Error, and has no code. */
class Refused extends Error {
  readonly code: string | undefined;

  constructor({ code, message }: { code?: string; message: string }, requestId: string | null) {
    super(`${message} (request ${requestId})`);
    this.code = code;
  }
}

async function refusalOf(response: Response): Promise<Refused> {
  const message = `${response.status} from something other than the service`;
  const error = (await response.json().catch(() => ({ message }))) as { code?: string; message: string };
  return new Refused(error, response.headers.get("x-request-id"));
}

/** Reads an animal, an order or a page of them: every integer becomes a bigint. */
function parse(text: string): unknown {
  const exact = (_name: string, value: unknown, context?: { source: string }) =>
    Number.isInteger(value) ? BigInt(context?.source ?? fail("this runtime would round integers")) : value;
  return JSON.parse(text, exact);
}

/** Sends a request, and repeats it after failures that may pass. */
async function call(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${API_KEY}` };
  for (let attempt = 1; ; attempt++) {
    let pause = 200 * 2 ** attempt * (0.5 + Math.random() / 2);
    try {
      const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(10_000) });
      if (response.ok) return response;
      if (!RETRYABLE.has(response.status) || attempt === ATTEMPTS) throw await refusalOf(response);
      pause += 1000 * Number(response.headers.get("retry-after"));
    } catch (error) {
      // Anything else is no response: whether the service did it is not known.
      if (error instanceof Refused || attempt === ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** @param body JSON text, with integers as their digits */
async function create(path: string, body: string): Promise<unknown> {
  // One key per animal or order, made before the first attempt: repeating the request then adds nothing.
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const response = await call(ANIMAL_STORE_URL + path, { method: "POST", headers, body });
  return parse(await response.text());
}

/** It needs no key: if the order already has the status, nothing changes. */
async function updateOrder(id: bigint, status: string): Promise<Order> {
  const headers = { "content-type": "application/json" };
  const init = { method: "PATCH", headers, body: JSON.stringify({ status }) };
  return parse(await (await call(`${ANIMAL_STORE_URL}/orders/${id}`, init)).text()) as Order;
}

async function* allAnimals(): AsyncGenerator<Animal> {
  for (let url: string | undefined = `${ANIMAL_STORE_URL}/pets?limit=2`; url !== undefined; ) {
    const response = await call(url);
    yield* parse(await response.text()) as Animal[];
    const [, next] = /<([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "") ?? [];
    url = next && new URL(next, url).href;
  }
}

function fail(message: string): never {
  throw new Error(message);
}

const rex = (await create("/pets", `{"name": "Rex", "categoryId": ${9223372036854775807n}}`)) as Animal;
console.log(`created ${rex.id} with category ${rex.categoryId}`);

const order = (await create("/orders", `{"petId": ${rex.id}}`)) as Order;
const { status } = await updateOrder(order.id, "cancelled");
console.log(`ordered ${order.petId}: ${order.status}, then ${status}`);

let listed = 0;
for await (const _animal of allAnimals()) listed++;
console.log(`listed ${listed}`);

try {
  await create("/pets", '{"name": "", "categoryId": 1}');
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(`refused with ${error.code}`);
}
