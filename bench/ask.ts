import type { Answer, Call } from "./side.ts";

/** What HTTP adds to an answer by itself. */
const OF_THE_PROTOCOL = ["date", "content-length", "transfer-encoding", "connection", "keep-alive"];

/** Sends a call once. */
export async function ask(address: string, { path, ...init }: Call): Promise<Answer> {
  const answer = await fetch(address + path, init);
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_PROTOCOL) headers.delete(name);
  return { status: answer.status, headers: Object.fromEntries(headers), body: await answer.text() };
}

/** @throws where an answer differs from the model in anything but which request it names */
export function compare(side: string, answer: Answer, model: Answer): void {
  const comparable = ({ status, headers, body }: Answer) =>
    JSON.stringify({
      status,
      headers: { ...headers, "x-request-id": headers["x-request-id"]?.length },
      body,
    });
  if (comparable(answer) === comparable(model)) return;
  throw new Error(`${side} does not answer as ours does:\n${comparable(answer)}\n${comparable(model)}`);
}
