import { afterAll, expect, test } from "bun:test";
import { Caller, expectUnavailable } from "../support/caller.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startOwnPostgres } from "../support/postgres.ts";
import { serve } from "../support/program.ts";
import { type Interference, type Link, startProxy } from "../support/proxy.ts";

const server = await startOwnPostgres();
afterAll(() => server[Symbol.asyncDispose]());

/** Cuts the connection that a create's statement goes on: before the server gets it, or before it has answered. */
function cutting(name: string, when: "before" | "after"): Interference {
  let cut: Link | undefined;
  return {
    toServer(data, link) {
      // Once: a client that repeats the statement gets through.
      if (cut || !data.includes(name)) return undefined;
      cut = link;
      return when === "before" ? "cut" : undefined;
    },
    toClient: (_, link) => (link === cut ? "cut" : undefined),
  };
}

test.each([
  ["after", "the server has stored it", 2],
  ["before", "the server has it", 3],
] as const)(
  "a create whose connection ends %s %s gets 503, and a retry with its Idempotency-Key the truth",
  async (when, _, id) => {
    const url = new URL(await server.createDatabase());
    await using proxy = await startProxy(Number(url.port));
    url.port = `${proxy.port}`;
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: url.href } });
    const caller = new Caller(service);
    expect((await caller.create("before")).status).toBe(201);

    proxy.interference = cutting("unknown", when);
    await expectUnavailable(await caller.create("unknown"));
    proxy.interference = {};
    // Another comes between, so that the id tells when the first was stored.
    expect((await caller.create("between")).status).toBe(201);

    const answer = await caller.create("unknown");
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { id, name: "unknown", categoryId: 1, status: "available" },
    ]);
    const names = when === "after" ? ["before", "unknown", "between"] : ["before", "between", "unknown"];
    expect(await caller.names()).toEqual(names);
  },
);
