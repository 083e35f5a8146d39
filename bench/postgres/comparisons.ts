import type { Call } from "../call.ts";
import { pgbench } from "./pgbench.ts";
import type { Comparison } from "./sample.ts";
import { ANIMALS, type Stage } from "./stage.ts";
import { service } from "./wrk.ts";

const COLUMNS = `id, name, category_id AS "categoryId", status`;
/** Calls in one run, more than it can make: so none is made twice. */
const CALLS = 60_000;

/** What is compared: the service on one and on two instances with pgbench on the same server. */
export function comparisons(stage: Stage, folder: string): Comparison[] {
  const { url, headers, addresses, pagePath } = stage;
  const [one, two] = [addresses.slice(0, 1), addresses.slice(0, 2)];
  const get = (path: string): Call => ({ method: "GET", path, headers });
  const anyId = () => 1 + Math.floor(Math.random() * (ANIMALS - 100));
  // A parameter that means nothing makes each a page of its own.
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

  return [
    {
      title: "List: 20 animals",
      notes: ["pgbench asks for 21 rows after a random id: the bare query of a page."],
      sides: [
        pgbench(
          "pgbench",
          url,
          folder,
          `\\set after random(1, ${ANIMALS - 100})\nSELECT ${COLUMNS} FROM animal_store.animal WHERE id > :after ORDER BY id LIMIT 21;`,
        ),
        service("a page that is kept, 1 instance", one, firstPage),
        service("a page that is kept, 2 instances", two, firstPage),
        service("pages never asked for twice, 1 instance", one, pages),
        service("pages never asked for twice, 2 instances", two, pages),
        service("filtered pages never asked for twice, 1 instance", one, filtered),
      ],
      aims: {
        "a page that is kept, 1 instance": 0.6,
        "pages never asked for twice, 1 instance": 0.6,
        "a page that is kept, 2 instances": 0.6,
        "pages never asked for twice, 2 instances": 0.6,
      },
    },
    {
      title: "Get: one animal by its id",
      notes: [],
      sides: [
        pgbench(
          "pgbench",
          url,
          folder,
          `\\set id random(1, ${ANIMALS})\nSELECT ${COLUMNS} FROM animal_store.animal WHERE id = :id;`,
        ),
        service("an animal that is kept, 1 instance", one, firstAnimal),
        service("animals never asked for twice, 1 instance", one, animals),
        service("animals never asked for twice, 2 instances", two, animals),
      ],
      aims: {
        "animals never asked for twice, 1 instance": 0.6,
        "animals never asked for twice, 2 instances": 0.6,
      },
    },
    {
      title: "Create",
      notes: [
        "pgbench's first does the service's own statement, whose row lock puts all creates in order, for one animal " +
          "a transaction; its second inserts into a table whose ids come from a sequence, in no order.",
      ],
      sides: [
        pgbench(
          "pgbench, the same statement for one animal",
          url,
          folder,
          `WITH locked AS MATERIALIZED (SELECT FROM animal_store.state WHERE single FOR UPDATE),
             logged AS (INSERT INTO animal_store.append_log SELECT FROM locked)
           INSERT INTO animal_store.animal
           SELECT nextval('animal_store.animal_id_seq'), 'Bruno the Second', 12, 'available' FROM locked;`,
        ),
        pgbench(
          "pgbench, an insert with an id of a sequence",
          url,
          folder,
          "INSERT INTO plain_animal (name, category_id, status) VALUES ('Bruno the Second', 12, 'available');",
        ),
        service("creates, 1 instance", one, () => [create()]),
        service("creates, 2 instances", two, () => [create()]),
        service("creates with an Idempotency-Key, 1 instance", one, keyed),
        service("creates with an Idempotency-Key, 2 instances", two, keyed),
      ],
      aims: { "creates, 1 instance": 3, "creates, 2 instances": 3 },
    },
  ];
}
