import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { startPostgres } from "../../test/support/postgres.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { type Agreement, checkAgreement, describeAgreement } from "../../verify/agreement.ts";
import { walk, walkOrders } from "../../verify/walk.ts";
import { Fleet } from "./fleet.ts";
import { addAnimals, changeAll, type Effort, raceFor } from "./race.ts";

const CLIENTS = 200;
const ANIMALS = 20;
const RACES = 12;

/** What would be wrong in a store, by its own tables: how many animals and orders contradict each other. */
const CONTRADICTIONS = `
  SELECT count(*) AS count FROM animal LEFT JOIN (
    SELECT animal_id, count(*) AS orders, max(status) AS status FROM store_order
    WHERE status <> 'cancelled' GROUP BY animal_id
  ) AS binding ON binding.animal_id = animal.id
  WHERE binding.orders > 1
    OR binding.status IN ('placed', 'approved') AND animal.status <> 'pending'
    OR binding.status = 'delivered' AND animal.status <> 'sold'`;

/** Races on one store, every second of them with kills in between; returns what the check of the whole store counted. */
async function race(fleet: Fleet, countContradictions: () => Promise<number>): Promise<Agreement> {
  const effort: Effort = { requests: 0, repeated: 0, refused: 0 };
  let kills = 0;
  let agreement: Agreement | undefined;
  /** Kills an instance while something goes on, soon after its beginning. */
  const disturbed = async <Result>(round: number, work: Promise<Result>): Promise<Result> => {
    if (round % 2 === 0) return await work;
    await Bun.sleep(10 + ((round * 37) % 150));
    await fleet.kill(kills++ % fleet.size);
    return await work;
  };
  for (let round = 0; round < RACES; round++) {
    const animals = await addAnimals(fleet, ANIMALS, `race ${round}`);
    const orders = await disturbed(round, raceFor(animals, fleet, CLIENTS, `race ${round}`, effort));
    await disturbed(round, changeAll(orders, fleet, effort));
    for (let at = 0; at < fleet.size; at++) {
      const [stock, placed] = [await walk(fleet.client(at)), await walkOrders(fleet.client(at))];
      agreement = checkAgreement(stock, placed);
      expect(agreement).toMatchObject({ animals: ANIMALS * (round + 1), orders: ANIMALS * (round + 1) });
    }
    expect(await countContradictions()).toBe(0);
  }
  // Kills that cut nothing off would show nothing.
  expect(effort.repeated).toBeGreaterThan(kills);
  console.log(
    `${RACES} races of ${CLIENTS} clients for ${ANIMALS} animals, ${kills} kills: ${effort.requests} requests, ` +
      `${effort.refused} refused, ${effort.repeated} repeated; ${describeAgreement(agreement as Agreement)}`,
  );
  return agreement as Agreement;
}

test(
  "on SQLite with two workers, no animal is in two orders or sold twice, also through kills",
  async () => {
    await using fleet = await Fleet.start(1, { DATABASE_URL: "sqlite:./store.db", WORKERS: "2" });
    const file = join(fleet.folder, "store.db");
    await race(fleet, async () => {
      using database = new Database(file, { readonly: true });
      return database.query<{ count: number }, []>(CONTRADICTIONS).get()?.count ?? Number.NaN;
    });
  },
  LONG_RUN_MS,
);

test(
  "on four instances of one PostgreSQL, no animal is in two orders or sold twice, also through kills",
  async () => {
    await using postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await using fleet = await Fleet.start(4, { DATABASE_URL: url });
    await using sql = new SQL({ url, max: 1 });
    await sql`SET search_path TO animal_store`;
    await race(fleet, async () => {
      const [row] = await sql.unsafe<{ count: string }[]>(CONTRADICTIONS);
      return Number(row?.count);
    });
  },
  LONG_RUN_MS,
);
