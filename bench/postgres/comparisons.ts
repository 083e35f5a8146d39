import type { Call } from "../call.ts";
import { pgbench } from "./pgbench.ts";
import type { Comparison } from "./sample.ts";
import { ANIMALS, type Stage } from "./stage.ts";
import { service } from "./wrk.ts";

const COLUMNS = `id, name, category_id AS "categoryId", status`;
/** The calls of one run: more than it can send, so none is sent twice. */
const CALLS = 60_000;

/** The numbers of instances to measure on one database. */
export const INSTANCES = [1, 2, 4];

/** The comparisons of the service, on several instances, with pgbench on the same server. */
export function comparisons(stage: Stage, folder: string): Comparison[] {
  const { url, headers, addresses, pagePath } = stage;
  const get = (path: string): Call => ({ method: "GET", path, headers });
  const anyId = () => 1 + Math.floor(Math.random() * (ANIMALS - 100));
  // A parameter without a meaning makes each path unique, so that no cache helps.
  const each = (run: number, call: (at: string) => Call) =>
    Array.from({ length: CALLS }, (_, index) => call(`${run}.${index}`));
  const create = (key?: string): Call => ({
    method: "POST",
    path: "/v1/pets",
    headers: { ...headers, "content-type": "application/json", ...(key && { "idempotency-key": key }) },
    body: '{"name":"Bruno the Second","categoryId":12,"status":"available"}',
  });

  const pages = (run: number) => each(run, (at) => get(`${pagePath(anyId(), undefined)}&x=${at}`));
  const filtered = (run: number) => each(run, (at) => get(`${pagePath(anyId(), "sold")}&x=${at}`));
  const animals = (run: number) => each(run, (at) => get(`/v1/pets/${anyId()}?x=${at}`));
  const firstPage = () => [get("/v1/pets")];
  const firstAnimal = () => [get("/v1/pets/1")];
  const keyed = (run: number) => each(run, (at) => create(`${crypto.randomUUID()}.${at}`));
  // One create to nine pages, each of which is asked for once.
  const mixed = (run: number) => pages(run).map((page, index) => (index % 10 === 5 ? create() : page));

  const nameOf = (what: string, count: number) =>
    `${what}, ${count} ${count === 1 ? "instance" : "instances"}`;
  const onEach = (
    what: string,
    calls: (run: number) => readonly Call[],
    counts: readonly number[] = INSTANCES,
  ) => counts.map((count) => service(nameOf(what, count), addresses.slice(0, count), calls));
  const aim = (what: string, ratio: number) =>
    Object.fromEntries(INSTANCES.map((count) => [nameOf(what, count), ratio]));

  const page = `\\set after random(1, ${ANIMALS - 100})\nSELECT ${COLUMNS} FROM animal_store.animal WHERE id > :after ORDER BY id LIMIT 21;`;
  const insert =
    "INSERT INTO plain_animal (name, category_id, status) VALUES ('Bruno the Second', 12, 'available');";
  return [
    {
      name: "list",
      title: "List: 20 animals",
      notes: ["pgbench asks for 21 rows after a random id: the bare query of a page."],
      sides: [
        pgbench("pgbench", url, folder, [page, 1]),
        ...onEach("a cached page", firstPage),
        ...onEach("pages never asked for twice", pages),
        ...onEach("filtered pages never asked for twice", filtered, [1]),
      ],
      aims: { ...aim("a cached page", 1.5), ...aim("pages never asked for twice", 0.8) },
    },
    {
      name: "get",
      title: "Get: one animal by its id",
      notes: [],
      sides: [
        pgbench("pgbench", url, folder, [
          `\\set id random(1, ${ANIMALS})\nSELECT ${COLUMNS} FROM animal_store.animal WHERE id = :id;`,
          1,
        ]),
        ...onEach("a cached animal", firstAnimal, [1]),
        ...onEach("animals never asked for twice", animals),
      ],
      aims: aim("animals never asked for twice", 0.9),
    },
    {
      name: "create",
      title: "Create",
      notes: [
        "pgbench's first inserts into a table whose ids come from a sequence, in no order; its second does the " +
          "service's own statement, whose row lock puts all creates in order, for one animal a transaction.",
      ],
      sides: [
        pgbench("pgbench, an insert with an id of a sequence", url, folder, [insert, 1]),
        pgbench("pgbench, the same statement for one animal", url, folder, [
          `WITH locked AS MATERIALIZED (SELECT FROM animal_store.state WHERE single FOR UPDATE),
             logged AS (INSERT INTO animal_store.append_log SELECT FROM locked)
           INSERT INTO animal_store.animal
           SELECT nextval('animal_store.animal_id_seq'), 'Bruno the Second', 12, 'available' FROM locked;`,
          1,
        ]),
        ...onEach("creates", () => [create()]),
        ...onEach("creates with an Idempotency-Key", keyed),
      ],
      aims: aim("creates", 4.5),
    },
    {
      name: "mix",
      title: "The mix: nine pages to a create",
      notes: ["pgbench's inserts take ids from a sequence, in no order. Pages are never asked for twice."],
      sides: [pgbench("pgbench", url, folder, [page, 9], [insert, 1]), ...onEach("the mix", mixed)],
      aims: {},
    },
  ];
}
