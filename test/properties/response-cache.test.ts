import { test } from "bun:test";
import fc from "fast-check";
import { onEveryEngine } from "../support/engines.ts";
import type { Service } from "../support/service.ts";

interface Row {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

type Step =
  | { readonly kind: "create"; readonly status: string }
  | { readonly kind: "by hand"; readonly statement: string }
  | { readonly kind: "list"; readonly limit: number; readonly status: string | undefined }
  | { readonly kind: "follow"; readonly link: number }
  | { readonly kind: "get"; readonly id: number };

const status = fc.constantFrom("available", "sold");
/** Given before: nothing that is created later comes there. */
const lowId = fc.integer({ min: 1, max: 12 });
const id = fc.oneof(lowId, fc.integer({ min: 21, max: 32 }));
const byHand = fc.oneof(
  fc.tuple(id, status).map(([id, status]) => `UPDATE animal SET status = '${status}' WHERE id = ${id}`),
  fc.tuple(id, fc.integer()).map(([id, n]) => `UPDATE animal SET name = '${n}' WHERE id = ${id}`),
  id.map((id) => `DELETE FROM animal WHERE id = ${id}`),
  id.map((id) => `DELETE FROM animal WHERE id > ${id}`),
  fc.tuple(lowId, status).map(
    ([id, status]) =>
      `INSERT INTO animal (id, name, category_id, status) VALUES (${id}, 'by hand', 1, '${status}')
       ON CONFLICT (id) DO UPDATE SET name = 'replaced'`,
  ),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: status.map((status) => ({ kind: "create" as const, status })) },
  { weight: 1, arbitrary: byHand.map((statement) => ({ kind: "by hand" as const, statement })) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("list" as const),
      limit: fc.integer({ min: 1, max: 3 }),
      status: fc.option(status, { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.nat(5).map((link) => ({ kind: "follow" as const, link })) },
  { weight: 2, arbitrary: id.map((id) => ({ kind: "get" as const, id })) },
);

/** A page that was once linked to: its query, and after which animal of which status it begins. */
interface Page {
  readonly path: string;
  readonly after: number;
  readonly limit: number;
  readonly status: string | undefined;
}

onEveryEngine(({ startService }) => {
  test("after any creates and changes, every response equals what the database has then", async () => {
    await using service = await startService();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        // Pages of the run before are still kept.
        await service.database.query("DELETE FROM animal");
        await service.database.setLastId(20n);
        const links: Page[] = [];
        for (const step of steps) await take(service, step, links);
      }),
      { numRuns: 15 },
    );
  });
});

async function take(service: Service, step: Step, links: Page[]): Promise<void> {
  if (step.kind === "create") {
    const answer = await service.create(JSON.stringify({ name: "new", categoryId: 1, status: step.status }));
    if (answer.status !== 201) throw new Error(`a create: ${answer.status}`);
  } else if (step.kind === "by hand") {
    await service.database.query(step.statement);
  } else if (step.kind === "get") {
    const found = (await rows(service)).find(({ id }) => id === step.id);
    const answer = await service.call(`/v1/pets/${step.id}`);
    const seen = answer.status === 200 ? textOf([(await answer.json()) as Row]) : "none";
    if (seen !== (found ? textOf([found]) : "none")) throw new Error(`animal ${step.id}: ${seen}`);
  } else if (step.kind === "list") {
    const { limit, status } = step;
    const path = `/v1/pets?limit=${limit}${status === undefined ? "" : `&status=${status}`}`;
    await look(service, { path, after: 0, limit, status }, links);
  } else {
    const page = links.at(-1 - step.link);
    if (page) await look(service, page, links);
  }
}

async function look(service: Service, page: Page, links: Page[]): Promise<void> {
  const { path, after, limit, status } = page;
  const answer = await service.call(path);
  const seen = (await answer.json()) as Row[];
  const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  const all = (await rows(service)).filter(
    (row) => row.id > after && (status === undefined || row.status === status),
  );
  const expected = `${textOf(all.slice(0, limit))}${all.length > limit ? " and more" : ""}`;
  const told = `${textOf(seen)}${next === undefined ? "" : " and more"}`;
  if (told !== expected) throw new Error(`${path}: ${told}, in place of ${expected}`);
  const last = seen.at(-1);
  if (next !== undefined && last) links.push({ path: next, after: last.id, limit, status });
}

async function rows(service: Service): Promise<Row[]> {
  const found = await service.database.query<Row>("SELECT id, name, status FROM animal ORDER BY id");
  return found.map(({ id, name, status }) => ({ id: Number(id), name, status }));
}

function textOf(rows: readonly Row[]): string {
  return rows.map(({ id, name, status }) => `${id} ${name} ${status}`).join(", ");
}
