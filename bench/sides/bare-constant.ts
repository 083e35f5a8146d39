import { givenModels, serve, startImitation } from "../imitation.ts";
import type { Side } from "../side.ts";

/** Does nothing but return the same bytes: what the runtime's HTTP costs by itself. */
export const bareConstant: Side = {
  name: "bare Bun.serve",
  kind: "limit",
  likeness: "bytes",
  checksKeys: false,
  durable: false,
  start: (start) => startImitation(import.meta.path, start),
};

if (import.meta.main) {
  const [{ status, headers, body }] = await givenModels();
  // Of the ways to say it, a string with a Headers object made once is among the fastest.
  const init = { status, headers: new Headers(headers) };
  serve(() => new Response(body, init));
}
