import { type Address, Connection } from "./connection.ts";

export interface ClosedResult {
  readonly requests: number;
  readonly microseconds: number;
  /** Sent. */
  readonly creates: number;
  readonly refusals: number;
}

/** Loads a server as wrk does: each connection sends its next request as soon as the last is answered. */
export async function closedModel(
  address: Address,
  requests: readonly Buffer[],
  connections: number,
  seconds: number,
): Promise<ClosedResult> {
  const isCreate = requests.map((request) => request.toString("latin1", 0, 5) === "POST ");
  const all = Array.from({ length: connections }, () => new Connection(address));
  await Promise.all(all.map((connection) => connection.connect()));
  let next = 0;
  let answered = 0;
  let creates = 0;
  let refusals = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  await Promise.all(
    all.map(
      (connection) =>
        new Promise<void>((resolve) => {
          const send = () => {
            const index = next++ % requests.length;
            if (isCreate[index]) creates++;
            connection.send(requests[index] as Buffer, settle);
          };
          const settle = (status: number) => {
            if (status < 200 || status >= 400) refusals++;
            answered++;
            if (performance.now() < end) send();
            else resolve();
          };
          send();
        }),
    ),
  );
  const microseconds = (performance.now() - begin) * 1000;
  for (const connection of all) connection.close();
  return { requests: answered, microseconds, creates, refusals };
}
