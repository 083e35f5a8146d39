import { describe, expect, test } from "bun:test";
import { FaultLayer } from "../../sandbox/fault-layer.ts";
import { FaultPlan } from "../../sandbox/fault-plan.ts";
import { Journal } from "../../sandbox/journal.ts";
import { JournalMemory } from "../../sandbox/journal-memory.ts";
import { ownResponses } from "../../sandbox/own-responses.ts";
import { addressOf } from "../../src/http/address.ts";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { Routes } from "../../src/http/request/routes.ts";
import { rawTarget } from "../../src/http/request/target.ts";
import { BunServers } from "../../src/http/runtime/bun-servers.ts";
import type { ServerOptions } from "../../src/http/server.ts";
import { startService as startHttpService } from "../../src/http/service.ts";
import { httpContract } from "../../test/http/contract/suite.ts";
import { createSqliteDatabase } from "../../test/support/database.ts";
import { startService } from "../../test/support/service.ts";

// Unless it is told to misbehave, a sandbox is the same service: the layer that writes the journal and looks for faults
// changes nothing that the contract can see. The store is a file, as with `--store`, since the contract has tests that
// open it from another process; `verify --url` sees the store in memory.

const operationOf = () => "operation";
const memory = new JournalMemory();
let journaled = 0;

/** Serves as a sandbox does, with a planned fault that waits for more requests than any test sends. */
async function startInSandbox(options: ServerOptions) {
  const { host, operations, rateLimit, emit } = options;
  const plan = new FaultPlan();
  plan.replace([{ fault: "500", after: 1_000_000 }]);
  const journal = new Journal(operationOf, memory);
  const routes = new Routes(operations);
  const layer = new FaultLayer({
    plan,
    journal,
    rateLimit,
    operationOf: (method, target) => routes.find(method, target)?.operation,
    port: 0,
    calls: undefined,
    emit,
  });
  const service = await startHttpService(options, () => openApiDocument(operations, []));
  const instance = { handle: service.handle, ownResponse: ownResponses(options), hasEnded: false };
  const servers = new BunServers({ host, port: 0 }, (request, connections) => {
    const pending = () => connections.pendingRequests;
    const call = { request, target: rawTarget(request.url), key: null, connections, pending };
    return layer.handle(call, instance);
  });
  return {
    address: addressOf(host, servers.port, false),
    async stop(seconds: number) {
      journaled += journal.find({}, 0, 0).count;
      service.refuse();
      await servers.stop(seconds, async () => {});
      await service.close(seconds);
    },
  };
}

describe("in a sandbox", () => {
  httpContract({
    readsAtOnce: true,
    createDatabase: createSqliteDatabase,
    startService: (options) => startService(options, createSqliteDatabase, startInSandbox),
  });

  test("the requests went through the journal", () => expect(journaled).toBeGreaterThan(500));
});
