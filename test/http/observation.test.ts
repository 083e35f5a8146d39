import { expect, test } from "bun:test";
import { StoreFailure } from "../../src/domain/failure.ts";
import type { Commit } from "../../src/observations/commit-observer.ts";
import type { AnsweredRequest } from "../../src/observations/request-observer.ts";
import { GroupCommit } from "../../src/stores/group-commit.ts";
import { Conversation } from "../../verify/wire/conversation.ts";
import { startService } from "../support/service.ts";

const POST = { method: "POST", headers: { "content-type": "application/json" } };
const REX = '{"name":"Rex","categoryId":1}';

/** What does not differ from run to run. */
function essence({ requestId: _, microseconds: __, client: ___, ...rest }: AnsweredRequest) {
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== false),
  );
}

test("an observer hears of every response, whatever became of the request", async () => {
  await using service = await startService();
  const { id, key } = await service.issueKey(["pets:read"]);
  const expired = await service.issueKey(["pets:read"], 1);
  const revoked = await service.issueKey(["pets:read"]);
  await service.store.revokeKey(revoked.id, 1);
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const unauthorized = { failure: "unauthorized", status: 401, method: "GET" };
  const list = { route: "/v1/pets", operation: "listPets", path: "/v1/pets" };

  const cases: [string, RequestInit, Record<string, unknown>][] = [
    ["/v1/pets", POST, { status: 400, failure: "malformed_body", operation: "createPet" }],
    [
      "/v1/pets",
      { ...POST, body: REX },
      { status: 201, operation: "createPet", route: "/v1/pets", keyId: 1 },
    ],
    ["/v1/pets?limit=3", {}, { ...list, status: 200, method: "GET", keyId: 1 }],
    ["/v1/pets?limit=3", {}, { ...list, status: 200, method: "GET", keyId: 1 }],
    ["/v1/pets?limit=3", bearer(key), { ...list, status: 200, cacheHit: true, keyId: id }],
    ["/v1/pets?limit=3", { method: "HEAD" }, { ...list, status: 200, cacheHit: true, method: "HEAD" }],
    ["/v1/pets?limit=0", {}, { ...list, status: 400, failure: "invalid_parameter" }],
    ["/v1/pets/1", {}, { status: 200, route: "/v1/pets/{petId}", operation: "getPet", path: "/v1/pets/1" }],
    ["/v1/pets/2", {}, { status: 404, failure: "animal_not_found", operation: "getPet" }],
    ["/v1/pets", { ...POST, ...bearer(key) }, { status: 403, failure: "insufficient_scope", keyId: id }],
    ["/v1/pets", bearer(""), { ...list, ...unauthorized, keyRefusal: "malformed" }],
    ["/v1/pets", bearer(`${key}1`), { ...list, ...unauthorized, keyRefusal: "malformed" }],
    ["/v1/pets", bearer(expired.key), { ...list, ...unauthorized, keyRefusal: "expired", keyId: expired.id }],
    ["/v1/pets", bearer(revoked.key), { ...list, ...unauthorized, keyRefusal: "revoked", keyId: revoked.id }],
    ["/v1/pets", { method: "PATCH" }, { status: 405, failure: "method_not_allowed", path: "/v1/pets" }],
    ["/v1/nowhere?a=b", {}, { status: 404, failure: "path_not_found", path: "/v1/nowhere", keyId: 1 }],
    ["/nowhere", {}, { status: 404, failure: "path_not_found", path: "/nowhere", method: "GET" }],
    ["/livez", {}, { status: 200, route: "/livez", path: "/livez" }],
  ];
  for (const [path, init, told] of cases) {
    const answer = await service.call(path, init);
    expect(service.answered).toHaveLength(1);
    const [request] = service.answered.splice(0) as [AnsweredRequest];
    expect(essence(request)).toMatchObject(told);
    expect(request.keyRefusal).toBe(told.keyRefusal as undefined);
    expect(request.failure).toBe(told.failure as undefined);
    expect(request.cacheHit ?? false).toBe("cacheHit" in told);
    expect(request.requestId).toBe(answer.headers.get("x-request-id") as string);
    expect(request.microseconds).toBeGreaterThan(0);
  }

  await fetch(`${service.address}/v1/pets`);
  expect(service.answered.splice(0).map(essence)).toEqual([
    { ...list, ...unauthorized, keyRefusal: "missing" },
  ]);
});

test("a response that its client did not wait for is observed as such", async () => {
  const told = Promise.withResolvers<AnsweredRequest>();
  await using service = await startService({ observer: { answered: told.resolve } });
  using conversation = await Conversation.open(service.address);
  conversation.send(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
  );
  expect((await conversation.next())?.status).toBe(100);
  conversation.send("{");
  conversation.reset();
  expect(await told.promise).toMatchObject({ abandoned: true, operation: "createPet" });
});

test("an observer of a store hears of each transaction, with the number of writes still queued", async () => {
  const commits: Commit[] = [];
  let marks = 0;
  let queue: (() => number) | undefined;
  await using service = await startService({
    commits: {
      queue: (length) => {
        queue = length;
      },
      waits: () => ++marks,
      committed: (commit) => commits.push(commit),
    },
  });
  const stored = Array.from({ length: 5 }, () =>
    service.store.addAnimal({ name: "Rex", categoryId: 1n, status: "available" }),
  );
  expect(queue?.()).toBe(5);
  await Promise.all(stored);
  expect(queue?.()).toBe(0);
  expect(commits).toEqual([
    {
      writes: 5,
      marks: [1, 2, 3, 4, 5],
      waitedMilliseconds: expect.any(Number),
      milliseconds: expect.any(Number),
      error: undefined,
    },
  ]);
});

test("an observer of a store hears of a failed transaction, and why it failed", async () => {
  const commits: Commit[] = [];
  const failure = new StoreFailure("store_unavailable", "the disk is full");
  const creates = new GroupCommit(() => Promise.reject(failure), 1000, {
    committed: (commit) => commits.push(commit),
  });
  const refused = creates.add({ name: "Rex", categoryId: 1n, status: "available" });
  expect(await refused.catch((error) => error)).toBe(failure);
  expect(commits).toMatchObject([{ writes: 1, error: failure }]);
  await creates.close();
});
