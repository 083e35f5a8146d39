import type { Client, ClientResponse } from "../../contract/client.ts";
import { assert } from "../../contract/contract-violation.ts";
import type { StoreCommands } from "../store-commands.ts";

/** Clients that use the key at once, on all instances together. */
const CALLERS = 4;
/** The pause between two requests of one caller: the instances have other work too. */
const PAUSE_MS = 2;
/** The body of a create that adds nothing: with a valid key it gets 400. */
const NO_ANIMAL = "{}";
/** Requests of each caller once the key is revoked. */
const AFTER = 3;

/**
 * Creates a key, uses it constantly on every instance, and revokes it meanwhile with the command line. The key must work
 * until the command starts. It must fail once the command has ended, and after its first refusal.
 *
 * @param clients one for each instance
 * @returns how many requests were made
 * @throws BrokenPromise
 */
export async function revokeInUse(commands: StoreCommands, clients: readonly Client[]): Promise<number> {
  const key = await commands.createKey("to be revoked");
  const id = await commands.lastKeyId();
  const responses: ClientResponse[] = [];
  let isRevoked = false;
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    const client = clients[index % clients.length] as Client;
    for (let left = AFTER; left > 0; left -= isRevoked ? 1 : 0) {
      // Each caller uses a URL of its own, so that no cached response helps it.
      responses.push(await client.send({ path: `/pets?limit=1&caller=${index}`, key }));
      responses.push(await client.send({ path: "/pets", body: NO_ANIMAL, key }));
      await Bun.sleep(PAUSE_MS);
    }
  });
  let failed = false;
  const using = Promise.all(callers).catch((error) => {
    failed = true;
    throw error;
  });
  let [begun, ended] = [performance.now(), Number.POSITIVE_INFINITY];
  try {
    while (!failed && responses.length < CALLERS) await Bun.sleep(1);
    begun = performance.now();
    await commands.run("keys", "revoke", id);
    ended = performance.now();
  } finally {
    isRevoked = true;
    await using;
  }
  const refusedAt = Math.min(...responses.filter(({ status }) => status === 401).map(({ to }) => to));
  const request = clients[0]?.curl({ path: "/pets?limit=1", key }) ?? "";
  for (const { status, from, to } of responses) {
    if (status === 503) continue;
    const mustOpen = to < begun;
    const mustFail = from > ended || from > refusedAt;
    const opens = status === 200 || status === 400;
    assert(!mustOpen || opens, "200, or 400 for no animal, before the key is revoked", `${status}`, request);
    assert(!mustFail || status === 401, "401 from when `keys revoke` has ended", `${status}`, request);
    assert(opens || status === 401, "200, 400 or 401", `${status}`, request);
  }
  return responses.length;
}
