import { createCall } from "../calls.ts";
import type { RunningSide } from "../side.ts";
import { percentile } from "../spread.ts";

/** How long the last events may take to arrive. */
const GRACE_MS = 10_000;

/**
 * Creates animals at a fixed rate while one stream listens to the feed. Returns how long after the last byte of its 201
 * each create arrived as an event, in milliseconds.
 *
 * @throws when a create fails, or an event does not arrive
 */
export async function feedLatency(
  { address, headers }: RunningSide,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<{ readonly p50: number; readonly p99: number }> {
  const answered = new Map<number, number>();
  const heard = new Map<number, number>();
  await using listening = await listen(
    `${address}/v1/events?from=latest&type=animal.created`,
    headers,
    (id) => heard.set(id, performance.now()),
  );
  const call = createCall({ headers } as RunningSide);
  const creates: Promise<void>[] = [];
  const begin = performance.now();
  for (let at = 0; at < rate * seconds; at++) {
    const wait = begin + (at * 1000) / rate - performance.now();
    if (wait > 0) await Bun.sleep(wait);
    creates.push(
      create(`${address}${call.path}`, call).then((id) => void answered.set(id, performance.now())),
    );
  }
  await Promise.all(creates);
  const isHeard = () => [...answered.keys()].every((id) => heard.has(id));
  for (const deadline = performance.now() + GRACE_MS; !isHeard() && performance.now() < deadline; )
    await Promise.race([Bun.sleep(5), listening.ended]);
  if (!isHeard()) throw new Error(`${address}: events of creates did not arrive within ${GRACE_MS / 1000} s`);
  const latencies = [...answered].map(([id, at]) => (heard.get(id) as number) - at).sort((a, b) => a - b);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

async function create(
  url: string,
  { method, headers, body = "" }: ReturnType<typeof createCall>,
): Promise<number> {
  const response = await fetch(url, { method, headers, body });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST ${url}: ${response.status} ${text}`);
  return (JSON.parse(text) as { id: number }).id;
}

/** Reads a stream of events of animals; resolves when it is open. */
async function listen(
  url: string,
  headers: RunningSide["headers"],
  hear: (animal: number) => void,
): Promise<AsyncDisposable & { readonly ended: Promise<never> }> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers: { ...headers, accept: "text/event-stream" },
    signal: stop.signal,
  });
  if (response.status !== 200 || !response.body)
    throw new Error(`GET ${url}: ${response.status} ${await response.text()}`);
  const reading = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: ")) continue;
        const { animal } = JSON.parse(line.slice("data: ".length)) as { animal: { id: number } };
        hear(animal.id);
      }
    }
  })();
  const ended = reading.then(() => {
    throw new Error(`GET ${url}: the stream ended`);
  });
  ended.catch(() => {});
  return {
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended.catch(() => {});
    },
  };
}
