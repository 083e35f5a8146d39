import { plausible } from "./bodies.ts";
import { usualHeaders } from "./generate-headers.ts";
import { BROKEN_ESCAPES } from "./generate-query.ts";
import type { FuzzRequest } from "./request.ts";
import type { Source } from "./source.ts";

export const METHODS = "PUT DELETE PATCH OPTIONS TRACE PROPFIND QUERY GET HEAD POST".split(" ");
const PATHS = (
  "/ /docs /livez /readyz /healthz /openapi.json /v1 /v1/ /v1/pets /v1/pets/ /v1/Pets /v1//pets " +
  "/v1/pets/1 /v1/pets/1/ /v1/pets/1/2 /v1/orders /v1/orders/ /v1/orders/1 /v1/orders/1/2 " +
  "/v1/Orders /v1/key /v1/key/ /v1/key/1 /v1/Key /v1/events/1 /v1/events/ /v2/pets /v1x/pets /favicon.ico /.env /v1/pets;a=b " +
  "/v1/pets/1;a"
).split(" ");

/** A request with any method for any path. */
export function anywhere(source: Source): FuzzRequest {
  const { random } = source;
  const { chance, pick } = random;
  const path = chance(0.8) ? pick(PATHS) : escaped(pick(PATHS), source);
  const target = path + (chance(0.05) ? `?x=${pick(BROKEN_ESCAPES)}` : "");
  const method = pick(METHODS);
  const headers = usualHeaders(source);
  if (method !== "POST") return { kind: "anywhere", method, target, headers };
  headers.push(["Content-Type", "application/json"]);
  return { kind: "anywhere", method, target, headers, body: plausible(random) };
}

/** A path with some letters percent-encoded; the slashes and the version stay. */
function escaped(path: string, { random: { chance, pick } }: Source): string {
  const letters = [...path].map((letter, at) =>
    at < 4 || letter === "/" || chance(0.7) ? letter : `%${letter.charCodeAt(0).toString(16)}`,
  );
  return letters.join("") + (chance(0.2) ? pick(["%2F", "%20", "%00", "%25", ...BROKEN_ESCAPES]) : "");
}

export function preflight({ random: { pick } }: Source): FuzzRequest {
  const method = pick(["GET", "POST", "DELETE", "x"]);
  return {
    kind: "preflight",
    method: "OPTIONS",
    target: pick(PATHS),
    headers: [
      ["Origin", "https://shop.example"],
      ["Access-Control-Request-Method", method],
    ],
  };
}

/** A request with a small, quick response, which can be pipelined. */
export function small(source: Source): FuzzRequest {
  const { random, model } = source;
  const { between, pick } = random;
  const target = pick([
    `/v1/pets/${model.animals.anId(random)}`,
    `/v1/pets?limit=${between(1, 5)}`,
    "/livez",
    "/v1/pets?limit=0",
    `/v1/orders/${between(1, 50)}`,
    "/nothing",
  ]);
  return { kind: "pipelined", method: pick(["GET", "GET", "HEAD"]), target, headers: usualHeaders(source) };
}
