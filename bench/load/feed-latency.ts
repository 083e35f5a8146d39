import { EventReader } from "../../test/support/event-reader.ts";
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
  const url = `${address}/v1/events?from=latest&type=animal.created`;
  await using reader = await EventReader.at(url, headers);
  const { status } = reader.response;
  if (status !== 200) throw new Error(`GET ${url}: ${status}`);
  const ended = hear(reader, (id) => heard.set(id, performance.now()));
  // It ends in any case, at the latest when it is closed.
  ended.catch(() => {});
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
    await Promise.race([Bun.sleep(5), ended]);
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

/**
 * Reads a stream of events of animals to its end.
 *
 * @throws when it ends
 */
async function hear(reader: EventReader, take: (animal: number) => void): Promise<never> {
  for (let event = await reader.next(); event; event = await reader.next())
    take((JSON.parse(event.data as string) as { animal: { id: number } }).animal.id);
  throw new Error(`GET ${reader.response.url}: the stream ended`);
}
