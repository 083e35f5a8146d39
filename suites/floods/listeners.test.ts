import { expect, test } from "bun:test";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { residentMb } from "../../test/support/processes.ts";
import { serve } from "../../test/support/program.ts";
import { Conversation } from "../../verify/wire/conversation.ts";
import { mayOpen } from "./open-files.ts";

const LISTENERS = 10_000;
/** The backlog of the listening socket holds this many. */
const CONNECT_AT_ONCE = 250;
const CREATED = /\nevent: animal\.created\ndata: .*"name":"Rex"/;
/** The promise for an instance with this many idle listeners, in megabytes. */
const MEMORY_MAX = 150;

test.skipIf(!mayOpen(LISTENERS + 500))(
  `${LISTENERS} idle listeners take less than ${MEMORY_MAX} MB, hold up no client, and each gets the next event`,
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
    expect((await caller.create("Rex")).status).toBe(201);
    for (const listener of listening) expect(await listener.heard(CREATED)).toMatch(CREATED);
  },
);
