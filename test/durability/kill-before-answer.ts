import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { Conversation } from "../../verify/wire/conversation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type ServiceProcess, serve } from "../support/program.ts";

/** Kills that may miss their moment, for each that meets it. */
const TRIES_MAX = 7;
/** Each costs the service's main thread milliseconds: enough of them keep every answer waiting. */
const BUSY_CLIENTS = 24;

/** Fills a page with names that are long and compress badly. */
async function fill({ address, key }: ServiceProcess): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const ideograph = () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 0x5000));
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => {
      const body = JSON.stringify({ name: Array.from({ length: 250 }, ideograph).join(""), categoryId: 0 });
      return fetch(`${address}/v1/pets`, { method: "POST", headers, body });
    }),
  );
  for (const { status } of answers) expect(status).toBe(201);
}

/** Requests pages that the service must render and compress each time, until it is gone. */
async function keepBusy({ address, key }: ServiceProcess): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "accept-encoding": "br" };
  for (let n = 0; ; n++) {
    const page = fetch(`${address}/v1/pets?limit=100&n=${n}-${Math.random()}`, {
      headers,
      decompress: false,
    });
    if (!(await page.then((answer) => answer.bytes()).catch(() => undefined))) return;
  }
}

/** Kills a service between a create's commit and its answer, so many times: to send the create again adds nothing. */
export async function killBeforeAnswer(kills: number): Promise<void> {
  using folder = temporaryFolder();
  const file = join(folder.path, "data/animal-store.db");
  let between = 0;
  for (let time = 0; between < kills; time++) {
    // Else the kills miss what they are for, and the test shows nothing.
    expect(time).toBeLessThan(kills * TRIES_MAX);
    const body = `{"name":"Rex","categoryId":${time + 1}}`;
    {
      await using service = await serve({ cwd: folder.path });
      if (time === 0) await fill(service);
      if (await killAfterCommit(service, file, body, time)) between++;
    }
    await using service = await serve({ cwd: folder.path });
    using conversation = await Conversation.open(service.address);
    conversation.send(createRequest(service, body, time));
    const answer = await conversation.next();
    const stored = animalsOf(file, time + 1);
    expect(stored).toHaveLength(1);
    expect(answer?.status).toBe(201);
    expect(answer?.body).toBe(
      `{"id":${stored[0]?.id},"name":"Rex","categoryId":${time + 1},"status":"available"}`,
    );
    expect(answer?.headers.get("location")).toBe(`/v1/pets/${stored[0]?.id}`);
  }
}

/**
 * Kills the service as soon as a create can be seen in its file. Returns whether that fell between the
 * commit and the answer: nothing had come back by then. What the service had handed to the kernel
 * before it died would still come.
 */
async function killAfterCommit(
  service: ServiceProcess,
  file: string,
  body: string,
  time: number,
): Promise<boolean> {
  using conversation = await Conversation.open(service.address);
  const busy = Array.from({ length: BUSY_CLIENTS }, () => keepBusy(service));
  {
    using watch = new Database(file, { readonly: true });
    // The animal, not its key: had they been written one after the other, this is when it would show.
    const committed = watch.query("SELECT 1 FROM animal WHERE category_id = ?");
    conversation.send(createRequest(service, body, time));
    while (!committed.get(time + 1)) await new Promise(setImmediate);
    service.kill("SIGKILL");
  }
  await service.exited;
  await Promise.all(busy);
  return (await conversation.closed()) === "";
}

function createRequest({ key }: ServiceProcess, body: string, time: number): string {
  return [
    "POST /v1/pets HTTP/1.1",
    "Host: animals.test",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `Idempotency-Key: crash ${time}`,
    "",
    body,
  ].join("\r\n");
}

function animalsOf(file: string, categoryId: number): { id: number }[] {
  using database = new Database(file, { readonly: true });
  return database
    .query<{ id: number }, [number]>("SELECT id FROM animal WHERE category_id = ?")
    .all(categoryId);
}
