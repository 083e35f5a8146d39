import { givenModels, serve, startImitation } from "../imitation.ts";
import type { Side } from "../side.ts";

/** Parses the body, forgets it, and returns the same bytes every time. */
export const bareParser: Side = {
  name: "bare parser",
  kind: "limit",
  likeness: "bytes",
  checksKeys: false,
  durable: false,
  start: (start) => startImitation(import.meta.path, start),
};

if (import.meta.main) {
  const [{ status, headers, body }] = await givenModels();
  const init = { status, headers: new Headers(headers) };
  serve(async (request) => {
    await request.json();
    return new Response(body, init);
  });
}
