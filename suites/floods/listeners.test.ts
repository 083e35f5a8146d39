import { expect, test } from "bun:test";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { residentMb } from "../../test/support/processes.ts";
import { serve } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";
import { Conversation } from "../../verify/wire/conversation.ts";
import { mayOpen } from "./open-files.ts";

const LISTENERS = 10_000;
/** The backlog of the listening socket holds this many. */
const CONNECT_AT_ONCE = 250;
/** Enough that memory would stay above the promise if what a change leaves were kept. */
const CHANGES = 20;
/** The promise for an instance with this many idle listeners, in megabytes. */
const MEMORY_MAX = 150;

test.skipIf(!mayOpen(LISTENERS + 500))(
  `${LISTENERS} idle listeners take less than ${MEMORY_MAX} MB, hold up no client, and each gets all events`,
  async () => {
    using folder = temporaryFolder();
    await using service = await serve({
      cwd: folder.path,
      env: { STABILITY: "experimental", WORKERS: "1", MAX_STREAMS: `${LISTENERS}` },
    });
    const caller = new Caller(service);
    using listeners = new DisposableStack();
    const listening: Conversation[] = [];
    const request =
      "GET /v1/events?from=latest HTTP/1.1\r\nHost: shop\r\nAccept: text/event-stream\r\n" +
      `Authorization: Bearer ${service.key}\r\n\r\n`;
    const listen = async () => {
      const listener = listeners.use(await Conversation.open(service.address));
      listener.send(request);
      expect(await listener.heard(/\r\n\r\n/)).toStartWith("HTTP/1.1 200 ");
      listening.push(listener);
    };
    while (listening.length < LISTENERS)
      await Promise.all(Array.from({ length: CONNECT_AT_ONCE }, () => listen()));
    const resident = residentMb(service.pid);
    console.log(`${LISTENERS} idle listeners: ${resident.toFixed(0)} MB`);
    expect(resident).toBeLessThan(MEMORY_MAX);
    expect((await caller.list()).status).toBe(200);
    for (let change = 0; change < CHANGES; change++) {
      expect((await caller.create(`Rex ${change}`)).status).toBe(201);
      const created = new RegExp(`\\nevent: animal\\.created\\ndata: .*"name":"Rex ${change}"`);
      for (const listener of listening) expect(await listener.heard(created)).toMatch(created);
    }
    console.log(`after ${CHANGES} changes: ${residentMb(service.pid).toFixed(0)} MB`);
    // What a change leaves is garbage, some 150 bytes for each listener, which the runtime collects when it has time.
    await until(() => residentMb(service.pid) < MEMORY_MAX);
  },
);
