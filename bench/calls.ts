import type { Call } from "./call.ts";
import type { Filter, RunningSide } from "./side.ts";

/** The first page of 20. */
export function listCall({ headers }: RunningSide): Call {
  return { method: "GET", path: "/v1/pets", headers };
}

export function getCall({ headers }: RunningSide, id: number): Call {
  return { method: "GET", path: `/v1/pets/${id}`, headers };
}

/** The page of 20 animals with a status that follows an id. */
export function pageCall(side: RunningSide, after: number, status: Filter): Call {
  return { method: "GET", path: side.pagePath(after, status), headers: side.headers };
}

/** Adds an animal. */
export function createCall({ headers }: RunningSide): Call {
  return {
    method: "POST",
    path: "/v1/pets",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"name":"Bruno the Second","categoryId":12,"status":"available"}',
  };
}

/** Nine lists to one create, spread evenly. */
export function mixedCalls(side: RunningSide): Call[] {
  const [list, create] = [listCall(side), createCall(side)];
  return Array.from({ length: 10 }, (_, index) => (index === 5 ? create : list));
}
