import { test } from "bun:test";
import { startPostgres } from "../../test/support/postgres.ts";
import { createAndOrder, expectWhole, FeedFollower } from "../orders/feed-follower.ts";
import { Fleet } from "../orders/fleet.ts";

const KILLS = 6;
const CLIENTS = 6;

/** Kills instances in turn while clients write to all, and streams of each resume where they were. */
async function killWhileStreaming(fleet: Fleet): Promise<void> {
  const instances = Array.from({ length: fleet.size }, (_, at) => at);
  const readers = instances.map((at) => new FeedFollower(() => fleet.client(at)));
  let isWriting = true;
  let isOver = false;
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
  for (let kill = 0; kill < KILLS; kill++) {
    const wanted = readers.map(({ seen }) => seen.length + 30 + 17 * kill);
    const has = () => readers.every(({ seen }, at) => seen.length >= (wanted[at] as number));
    while (!has()) await Promise.race([Bun.sleep(2), following, writing]);
    await fleet.kill(kill % fleet.size);
  }
  isWriting = false;
  await writing;
  const counted = await expectWhole(fleet.client(0), readers);
  isOver = true;
  await following;
  console.log(`${counted}, ${KILLS} kills, ${fleet.size} instances`);
}

test(`through ${KILLS} kills, a stream that resumes has every change once and in order`, async () => {
  await using fleet = await Fleet.start(1, { STABILITY: "experimental" });
  await killWhileStreaming(fleet);
});

test(`through ${KILLS} kills of two instances on PostgreSQL, the streams of each have every change once and in order`, async () => {
  await using server = await startPostgres();
  const DATABASE_URL = await server.createDatabase();
  await using fleet = await Fleet.start(2, { STABILITY: "experimental", DATABASE_URL });
  await killWhileStreaming(fleet);
});
