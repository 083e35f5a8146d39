import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { type ServiceProcess, serve } from "../support/program.ts";

const CLIENTS = 8;

/** Kills a service in the middle of creates, again and again: it loses nothing acknowledged and gives no id twice. */
export async function killDuringCreates(kills: number, settings: Record<string, string> = {}): Promise<void> {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { DATABASE_URL: "sqlite:./store.db", ...settings } };
  const acknowledged = new Map<number, string>();
  let unanswered = 0;
  for (let round = 0; round < kills; round++) {
    await using service = await serve(options);
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      createUntilKilled(service, `${round}.${client}`, (id, name) => {
        // An id that was given before the kill must not be given again after it.
        expect(acknowledged.has(id)).toBe(false);
        acknowledged.set(id, name);
      }),
    );
    // The kill falls into a burst of creates, each time elsewhere: some have been answered by then.
    const enough = acknowledged.size + 1 + ((round * 37) % 100);
    while (acknowledged.size < enough) await Bun.sleep(1);
    service.kill("SIGKILL");
    unanswered += (await Promise.all(clients)).filter((cutOff) => cutOff).length;
  }
  // Kills that never caught a create under way would show nothing.
  expect(unanswered).toBeGreaterThan(kills);

  await using service = await serve(options);
  const stored = await walk(service);
  for (const [id, name] of acknowledged) expect(stored.get(id)).toBe(name);
  // What was not answered may be there or not, but nothing else is, and nothing twice.
  expect(stored.size).toBeLessThanOrEqual(acknowledged.size + unanswered);
  expect(new Set(stored.values()).size).toBe(stored.size);
  using database = new Database(join(folder.path, "store.db"), { readonly: true });
  expect(database.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
}

/** Creates animals one after the other; tells whether the last was cut off without an answer. */
async function createUntilKilled(
  { address, key }: ServiceProcess,
  client: string,
  created: (id: number, name: string) => void,
): Promise<boolean> {
  for (let count = 0; ; count++) {
    const name = `${client}.${count}`;
    try {
      const answer = await fetch(`${address}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ name, categoryId: count }),
      });
      const { id } = (await answer.json()) as { id: number };
      if (answer.status === 201) created(id, name);
    } catch (error) {
      if ((error as { code?: string }).code === undefined && !(error instanceof SyntaxError)) throw error;
      return (error as { code?: string }).code !== "ConnectionRefused";
    }
  }
}

/** Every animal's name by its id, by following the links; ids must ascend. */
async function walk({ address, key }: ServiceProcess): Promise<Map<number, string>> {
  const animals = new Map<number, string>();
  let last = 0;
  for (let path: string | undefined = "/v1/pets?limit=100"; path !== undefined; ) {
    const answer: Response = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } });
    for (const { id, name } of (await answer.json()) as { id: number; name: string }[]) {
      expect(id).toBeGreaterThan(last);
      last = id;
      animals.set(id, name);
    }
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return animals;
}
