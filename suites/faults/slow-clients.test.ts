import { expect, test } from "bun:test";
import { Caller } from "../../test/support/caller.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { openDescriptors } from "../../test/support/processes.ts";
import { type ServiceProcess, serve } from "../../test/support/program.ts";
import { Conversation } from "../../verify/wire/conversation.ts";

const SLOW_CLIENTS = 200;
const DRIP_EVERY_MS = 50;
const OTHER_CLIENTS = 8;
/** Few enough that a busy machine answers them before the first slow client is cut off, after 12 s. */
const REQUESTS_EACH = 10;

/** What a slow client begins with; after it come single bytes, never enough of them. */
function beginnings({ key }: ServiceProcess): string[] {
  const authorized = `Host: shop\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  return [
    "",
    "GET /v1/pets?x=",
    `GET /v1/pets HTTP/1.1\r\n${authorized}X-Text: `,
    `POST /v1/pets HTTP/1.1\r\n${authorized}Content-Length: 60000\r\n\r\n`,
    `POST /v1/pets HTTP/1.1\r\n${authorized}Transfer-Encoding: chunked\r\n\r\nfff0\r\n`,
  ];
}

/** Creates and lists, each request after the answer to the last; returns how many were answered well. */
async function serveOthers(service: ServiceProcess, phase: string): Promise<number> {
  const caller = new Caller(service);
  let served = 0;
  const client = async (id: number) => {
    for (let count = 0; count < REQUESTS_EACH; count++) {
      const creates = count % 3 === 0;
      const answer = creates ? await caller.create(`${phase} ${id} ${count}`) : await caller.list();
      expect(answer.status).toBe(creates ? 201 : 200);
      await answer.arrayBuffer();
      served++;
    }
  };
  await Promise.all(Array.from({ length: OTHER_CLIENTS }, (_, id) => client(id)));
  return served;
}

function openSockets({ pid }: ServiceProcess): number {
  return openDescriptors(pid).filter((name) => name.startsWith("socket:")).length;
}

test("200 clients that send a byte at a time are disconnected, and delay no other client", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path, env: { KEEP_ALIVE_SECONDS: "12" } });
  const onLinux = process.platform === "linux";
  const openBefore = onLinux ? openSockets(service) : 0;
  const servedAlone = await serveOthers(service, "alone");

  await using slow = new AsyncDisposableStack();
  const begin = beginnings(service);
  const conversations: Conversation[] = [];
  for (let count = 0; count < SLOW_CLIENTS; count++) {
    const conversation = slow.use(await Conversation.open(service.address));
    conversation.send(begin[count % begin.length] as string);
    conversations.push(conversation);
  }
  const dripping = setInterval(() => {
    for (const conversation of conversations) conversation.send("a");
  }, DRIP_EVERY_MS);
  slow.defer(() => clearInterval(dripping));

  // All the others are served, as many as without, while every slow one is still at it.
  expect(await serveOthers(service, "beside the slow")).toBe(servedAlone);
  expect(conversations.filter(({ over }) => over)).toEqual([]);

  // In the end they are cut off, without an answer; that they drip on does not help them.
  for (const conversation of conversations) expect(await conversation.closed()).toBe("");
  // So are the others' idle connections, which must not be closed just as they are used again.
  while (onLinux && openSockets(service) > openBefore) await Bun.sleep(20);
  expect(await serveOthers(service, "after the slow")).toBe(servedAlone);
  // That a client was cut off is no failure of the service.
  expect(service.output()).not.toContain('"level":"error"');
});
