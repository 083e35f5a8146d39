import type { Call } from "./call.ts";
import type { Answer, Likeness } from "./side.ts";

/** Headers that belong to HTTP or to the server program, which may differ. */
const OF_THE_PROTOCOL = ["date", "content-length", "transfer-encoding", "connection", "keep-alive", "server"];

const SHOWN_CHARACTERS = 1000;

/** Sends a call once, without compression, as the load generators do. */
export async function ask(address: string, { path, ...init }: Call): Promise<Answer> {
  const answer = await fetch(address + path, {
    ...init,
    headers: { ...init.headers, "accept-encoding": "identity" },
  });
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_PROTOCOL) headers.delete(name);
  return { status: answer.status, headers: Object.fromEntries(headers), body: await answer.text() };
}

/** @throws when a response differs from its model by more than its likeness allows */
export function compare(side: string, answer: Answer, model: Answer, likeness: Likeness): void {
  const [given, wanted] = [answer, model].map((each) => JSON.stringify(COMPARABLE[likeness](each)));
  if (given === wanted) return;
  const [theirs, ours] = [given, wanted].map((text) => text?.slice(0, SHOWN_CHARACTERS));
  throw new Error(`${side} does not answer as ours does:\n${theirs}\n${ours}`);
}

const COMPARABLE: Readonly<Record<Likeness, (answer: Answer) => unknown>> = {
  bytes: ({ status, headers, body }) => ({
    status,
    // Each request has its own id.
    headers: { ...headers, "x-request-id": headers["x-request-id"]?.length },
    body,
  }),
  data: ({ status, body }) => ({ status, data: sortedMembers(JSON.parse(body)) }),
  shape: ({ status, body }) => ({ status, shape: shapeOf(JSON.parse(body)) }),
};

/** The same value with the members of its objects sorted: their order means nothing in JSON. */
function sortedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortedMembers(member)]));
}

function shapeOf(value: unknown): unknown {
  const [first] = Array.isArray(value) ? value : [value];
  return { list: Array.isArray(value), members: Object.keys(first as object).sort() };
}
