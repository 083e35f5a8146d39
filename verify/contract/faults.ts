import { type Call, Client } from "../client.ts";
import { hold } from "../contract-violation.ts";
import { Instance, type Program } from "../program.ts";
import type { PlacedStore } from "../testbed/testbed.ts";
import { Desk } from "./session.ts";

const BODY = '{"name":"in trouble","categoryId":1}';
const OPERATIONS: readonly Call[] = [{ path: "/pets" }, { path: "/pets", body: BODY }, { path: "/pets/1" }];

/** How long a service may take to be as before when the trouble is over, in milliseconds. */
const MENDED_WITHIN_MS = 30_000;
/** Processes of one instance may each count for themselves. */
const LIMITED_WITHIN = 200;

/** What a service answers when its store fails it: an Error, and then all is as before. */
export async function trouble(store: PlacedStore, desk: Desk): Promise<void> {
  {
    await using _ = await store.confuse();
    for (const call of OPERATIONS) {
      const { body } = await desk.ask(call, { status: 500, code: "internal_error" });
      const leak = /table|sql|schema|relation|error:/i.exec(body.toString().replace('"internal_error"', ""));
      hold(leak === null, "nothing of the inside in the message", `${leak}`, desk.client.curl(call));
    }
  }
  await mended(desk.client);
  {
    await using _ = await store.block();
    await Promise.all(OPERATIONS.map((call) => desk.ask(call, { status: 503, code: "store_unavailable" })));
  }
  await mended(desk.client);
}

async function mended(client: Client): Promise<void> {
  const until = performance.now() + MENDED_WITHIN_MS;
  for (const call of OPERATIONS) {
    for (;;) {
      const { status } = await client.send(call);
      if (status === 200 || status === 201) break;
      const expected = `the service as before within ${MENDED_WITHIN_MS / 1000} s of the trouble's end`;
      hold(performance.now() < until, expected, `${status}`, client.curl(call));
      await Bun.sleep(20);
    }
  }
}

/** What a service with a rate limit answers to those that are over it. */
export async function overTheLimit(program: Program, store: PlacedStore, desk: Desk): Promise<void> {
  await using instance = await Instance.start(program, store, { RATE_LIMIT: "1/h" });
  const client = new Client(instance.base, desk.client.key);
  const limited = new Desk({ client, prefix: desk.prefix, may: desk.may });
  for (const call of OPERATIONS) {
    let answers = 0;
    while ((await client.send(call)).status !== 429)
      hold(
        ++answers < LIMITED_WITHIN,
        "429 for more than one request in an hour",
        `${answers} answers`,
        client.curl(call),
      );
    await limited.ask(call, { status: 429, code: "rate_limited" });
  }
  for (const pair of limited.exercised) desk.exercised.add(pair);
}
