import { parseExact } from "./animal.ts";
import type { Client } from "./client.ts";
import { assert } from "./contract-violation.ts";
import { ALL_OPERATIONS } from "./operations.ts";
import type { ContractSession } from "./session.ts";

type Paths = Record<string, Record<string, { operationId?: string; responses?: object }>>;

/** From this moment the deprecated operation answers only 410. */
const SUNSET = Date.parse("2030-12-05T00:00:00Z");

/**
 * Each operation and status that a service declares in its document, such as `listPets 200`; `undefined` if it does not
 * publish its document.
 *
 * @throws BrokenPromise if the document lacks a response that the contract requires
 */
async function declaredBy(client: Client): Promise<Set<string> | undefined> {
  const call = { path: "/openapi.json", root: true, key: null };
  const { status, body } = await client.send(call);
  if (status !== 200) return undefined;
  const { paths } = (parseExact(body) ?? {}) as { paths?: Paths };
  const operations = Object.values(paths ?? {}).flatMap((path) => Object.values(path));
  const pairs = operations.flatMap(({ operationId, responses = {} }) =>
    Object.keys(responses)
      // `default` stands for all other statuses, and is not a status itself.
      .filter((code) => code !== "default")
      .map((code) => `${operationId} ${code}`),
  );
  const declared = new Set(pairs);
  for (const { id, binding = [] } of ALL_OPERATIONS) {
    for (const code of binding)
      assert(
        declared.has(`${id} ${code}`),
        `${id} with ${code} in the document`,
        "a document without it",
        client.curl(call),
      );
  }
  return declared;
}

/** The declared responses next to the responses seen, in order. */
interface Coverage {
  readonly declared: readonly string[];
  readonly exercised: readonly string[];
  readonly undeclared: readonly string[];
  readonly unseen: readonly string[];
}

/**
 * Compares the responses that a service declares with the responses that a session has seen; `undefined` if it does not
 * publish its document.
 *
 * @throws BrokenPromise as `declaredBy` does
 */
export async function coverageOf({ client, exercised }: ContractSession): Promise<Coverage | undefined> {
  const declared = await declaredBy(client);
  if (!declared) return undefined;
  return {
    declared: [...declared].sort(),
    exercised: [...exercised].sort(),
    undeclared: [...exercised].filter((pair) => !declared.has(pair)),
    unseen: [...declared].filter((pair) => !exercised.has(pair)).sort(),
  };
}

/** Why a declared response cannot be provoked, if it cannot. */
export function beyondReach(pair: string, now: number): string | undefined {
  if (pair === "getPet 410" && now < SUNSET) return "410 comes from 5 December 2030 on";
  if (pair === "getKey 500" || pair === "getKey 503")
    return "getKey reads the key alone, which a service remembers while its store fails";
  return undefined;
}
