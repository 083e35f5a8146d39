import { givenModels, serve, startImitation } from "../imitation.ts";
import type { Answer, Side } from "../side.ts";

/** Returns one constant to a GET; to a POST another, once it has parsed the body. It stores nothing. */
export const bareMix: Side = {
  name: "bare Bun.serve",
  kind: "limit",
  likeness: "bytes",
  checksKeys: false,
  durable: false,
  start: (start) => startImitation(import.meta.path, start),
};

if (import.meta.main) {
  const [list, created] = await givenModels();
  const listInit = initOf(list);
  const createdInit = initOf(created as Answer);
  serve((request) =>
    request.method === "POST"
      ? request.json().then(() => new Response(created?.body, createdInit))
      : new Response(list.body, listInit),
  );
}

function initOf({ status, headers }: Answer): ResponseInit {
  return { status, headers: new Headers(headers) };
}
