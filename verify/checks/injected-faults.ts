import { offeredOperations } from "../../contract/access.ts";
import { Client } from "../../contract/client.ts";
import { assert } from "../../contract/contract-violation.ts";
import { ContractSession } from "../../contract/session.ts";
import { Instance, type Program } from "../program.ts";
import type { TestStore } from "../testbed/testbed.ts";

/** How long a service may take to recover after a fault, in milliseconds. */
const RECOVERY_MAX_MS = 30_000;
/** The most responses before 429: each process of an instance may count for itself. */
const LIMITED_WITHIN = 200;

/** Injects faults into the store: the service must answer with an Error, and recover afterwards. */
export async function injectFaults(store: TestStore, session: ContractSession): Promise<void> {
  {
    await using _ = await store.confuse();
    for (const { call } of readingOrWriting(session)) {
      const { body } = await session.ask(call, "500 internal_error");
      const leak = /table|sql|schema|relation|error:/i.exec(body.toString().replace('"internal_error"', ""));
      assert(leak === null, "nothing of the inside in the message", `${leak}`, session.client.curl(call));
    }
  }
  await awaitRecovery(session);
  {
    await using _ = await store.block();
    await Promise.all(
      readingOrWriting(session).map(({ call }) => session.ask(call, "503 store_unavailable")),
    );
  }
  await awaitRecovery(session);
}

/** The operations that need the store besides the key, which the service knows by then. */
function readingOrWriting({ access }: ContractSession) {
  return offeredOperations(access).filter(({ scope }) => scope !== undefined);
}

async function awaitRecovery({ client, access }: ContractSession): Promise<void> {
  const until = performance.now() + RECOVERY_MAX_MS;
  for (const { call } of offeredOperations(access)) {
    for (;;) {
      const { status } = await client.send(call);
      // An order of an animal that is not available is refused, and a recovered store is needed for that too.
      if (status < 500) break;
      const expected = `the service as before within ${RECOVERY_MAX_MS / 1000} s of their end`;
      assert(performance.now() < until, expected, `${status}`, client.curl(call));
      await Bun.sleep(20);
    }
  }
}

/** Exceeds the rate limit of an instance that has one. */
export async function overTheLimit(
  program: Program,
  store: TestStore,
  session: ContractSession,
): Promise<void> {
  await using instance = await Instance.start(program, store, { RATE_LIMIT: "1/h" });
  const client = new Client(instance.base, session.client.key);
  const limited = new ContractSession({ client, prefix: session.prefix, access: session.access });
  for (const { call } of offeredOperations(session.access)) {
    let responses = 0;
    while ((await client.send(call)).status !== 429)
      assert(
        ++responses < LIMITED_WITHIN,
        "429 for more than one request in an hour",
        `${responses} responses`,
        client.curl(call),
      );
    await limited.ask(call, "429 rate_limited");
  }
  for (const pair of limited.exercised) session.exercised.add(pair);
}
