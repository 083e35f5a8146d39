import { expect, test } from "bun:test";
import { untilReplayed } from "../../test/support/postgres/until-replayed.ts";
import { createAndOrder, expectWhole, FeedFollower } from "../orders/feed-follower.ts";
import { Fleet } from "../orders/fleet.ts";
import { createAnimal } from "./create-animal.ts";
import { startReplicatedPostgres } from "./replication.ts";

const CLIENTS = 6;
/** More than the 32 values of a sequence that PostgreSQL writes to its log ahead. */
const LOST = 50;

test("through a failover and a kill -9, the streams of two instances have every change once and in order", async () => {
  await using postgres = await startReplicatedPostgres();
  await postgres.createDatabase("animals");
  await using fleet = await Fleet.start(2, {
    STABILITY: "experimental",
    DATABASE_URL: postgres.url("animals"),
  });
  const readers = [0, 1].map((at) => new FeedFollower(() => fleet.client(at)));
  let isOver = false;
  let isWriting = true;
  const following = Promise.all(readers.map((reader) => reader.follow(() => isOver)));
  const writing = Promise.all(
    Array.from({ length: CLIENTS }, (_, id) =>
      createAndOrder(
        () => fleet.client(id),
        `${id}`,
        () => isWriting,
      ),
    ),
  );
  const more = async (events: number) => {
    const wanted = readers.map(({ seen }) => seen.length + events);
    const has = () => readers.every(({ seen }, at) => seen.length >= (wanted[at] as number));
    while (!has()) await Promise.race([Bun.sleep(2), following, writing]);
  };
  await more(200);
  await postgres.primary.kill();
  await postgres.promote();
  await more(200);
  await fleet.kill(1);
  await more(200);
  // The old primary returns alone: it has events up to the failover, and nobody is given them.
  await postgres.primary.start();
  await postgres.standby.kill();
  for (let time = 0; time < 20; time++) {
    const page = await fleet.client(time % 2).send({ path: "/events?limit=1" });
    expect(page.status).toBe(503);
  }
  await postgres.standby.start();
  await more(200);
  isWriting = false;
  await writing;
  const counted = await expectWhole(fleet.client(0), readers);
  isOver = true;
  await following;
  console.log(`${counted}, one failover, one kill`);
});

test("if the new primary lacks events that a stream has sent, the stream ends and its reader gets 410", async () => {
  await using postgres = await startReplicatedPostgres({ synchronous: false });
  const { primary, standby } = postgres;
  await postgres.createDatabase("animals");
  await using fleet = await Fleet.start(1, {
    STABILITY: "experimental",
    DATABASE_URL: postgres.url("animals"),
  });
  const client = fleet.client(0);
  const reader = new FeedFollower(() => client);
  const kept = await createAnimal(client, "kept");
  await untilReplayed(primary, standby);
  await standby.kill();
  for (let n = 1; n < LOST; n++) await createAnimal(client, "lost");
  const lost = await createAnimal(client, "lost");
  await reader.follow(() => reader.seen.at(-1)?.subject === lost);
  expect(reader.seen).toHaveLength(1 + LOST);
  expect(reader.seen[0]?.subject).toBe(kept);
  // Behind the lost event, a stream waits for news.
  const waiting = await fetch(client.address({ path: "/events" }), {
    headers: { ...reader.headers, Authorization: `Bearer ${client.key}` },
  });
  expect(waiting.status).toBe(200);
  const reading = waiting.text();
  await primary.kill();
  await standby.start();
  await postgres.promote();
  while ((await client.send({ path: "/pets?limit=1" })).status !== 200) await Bun.sleep(20);
  expect(await reading).not.toContain("data:");
  // More new events than were lost: their ids must not run past the position of a reader that was away.
  const created: bigint[] = [];
  for (let n = 0; n < 3 * LOST; n++) created.push(await createAnimal(client, "new"));
  const again = await client.send({ path: "/events", headers: reader.headers });
  expect([again.status, `${again.body}`]).toEqual([410, expect.stringContaining('"events_expired"')]);
  // From the beginning, or from what was kept, the feed is that of the new primary.
  const fresh = new FeedFollower(() => client);
  await fresh.follow(() => fresh.seen.at(-1)?.subject === created.at(-1));
  expect(fresh.seen.map(({ subject }) => subject)).toEqual([kept, ...created]);
  const resumed = { "Last-Event-ID": `${fresh.seen[0]?.id}` };
  const head = await client.send({
    path: "/events",
    method: "HEAD",
    headers: { ...reader.headers, ...resumed },
  });
  expect(head.status).toBe(200);
});
