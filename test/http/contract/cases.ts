import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { firstAccess } from "../../../contract/access.ts";
import { type Call, Client, type ClientResponse, methodOf } from "../../../contract/client.ts";
import { GROUPS } from "../../../contract/groups.ts";
import type { Scope } from "../../../contract/operations.ts";
import { ContractSession, runCases } from "../../../contract/session.ts";
import { SCOPES } from "../../../src/domain/api-key.ts";
import { CATALOGUE } from "../../../src/operations/catalogue.ts";
import type { Service } from "../../support/service.ts";
import type { Exercised } from "./exercised.ts";

/** More animals than a page of the default length has. */
const STOCK = 25;

/** The contract's cases, which `animal-store verify` runs against any address, as a test each. */
export function contractCases(exercised: Exercised): void {
  let service: Service;
  let session: ContractSession;
  beforeAll(async () => {
    service = await exercised.start();
    const client = new RecordingClient(`${service.address}/v1`, service.key, exercised);
    session = await openSession(service, client);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  for (const { name, cases } of GROUPS) {
    describe(name, () => {
      for (const [title, run] of Object.entries(cases)) test(title, () => run(session));
    });
  }

  test("each operation has a case in which it succeeds", () => {
    const seen = [...session.exercised].filter((pair) => / 2\d\d$/.test(pair));
    const succeeded = new Set(seen.map((pair) => pair.split(" ")[0]));
    expect(CATALOGUE.filter(({ id }) => !succeeded.has(id)).map(({ id }) => id)).toEqual([]);
  });
}

/** Sends all requests of the contract to a service, for a test of what they make it do. */
export async function runContract(service: Service): Promise<void> {
  const session = await openSession(service, new Client(`${service.address}/v1`, service.key));
  for (const group of GROUPS) await runCases(group, session);
}

async function openSession(service: Service, client: Client): Promise<ContractSession> {
  await service.store.recordEvents(true);
  const access = await firstAccess(client);
  const session = new ContractSession({ client, prefix: "", access, others: await otherKeys(service) });
  for (let count = 0; count < STOCK; count++) await session.add(`${count}`);
  return session;
}

/** Remembers each response in addition to those that the tests ask for themselves. */
class RecordingClient extends Client {
  readonly #exercised: Exercised;

  constructor(base: string, key: string, exercised: Exercised) {
    super(base, key);
    this.#exercised = exercised;
  }

  override async send(call: Call): Promise<ClientResponse> {
    const answer = await super.send(call);
    if (!call.root)
      this.#exercised.remember(methodOf(call), `/v1${call.path}`, answer, `${Buffer.from(answer.body)}`);
    return answer;
  }
}

async function otherKeys(service: Service) {
  const without: Partial<Record<Scope, string>> = {};
  for (const scope of SCOPES) {
    without[scope] = (await service.issueKey(SCOPES.filter((each) => each !== scope))).key;
  }
  const revoked = await service.issueKey();
  await service.store.revokeKey(revoked.id, Date.now() - 1);
  const expired = await service.issueKey(SCOPES, Date.now() - 1);
  return { without, revoked: revoked.key, expired: expired.key };
}
