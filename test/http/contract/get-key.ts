import { expect, test } from "bun:test";
import { openStore } from "../../../src/stores/open.ts";
import { everyOperation } from "./every-operation.ts";
import type { Exercised } from "./exercised.ts";
import { expectAnswer } from "./scenario.ts";

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

export function getKeyContract(exercised: Exercised): void {
  test("200 with the name, the environment, the scopes and the end of the caller's key", async () => {
    await using service = await exercised.start();
    const ending = await service.issueKey(["events:read", "pets:read"], Date.UTC(2099, 0, 2, 3, 4, 5, 6));
    const endless = await service.issueKey([]);
    // Asked for by turns: no response is kept for the other.
    for (let turn = 0; turn < 3; turn++) {
      await expectAnswer(await service.call("/v1/key", bearer(ending.key)), {
        status: 200,
        answer:
          '{"name":"test","environment":"production","scopes":["events:read","pets:read"],' +
          '"expiresAt":"2099-01-02T03:04:05.006Z"}',
      });
      const answer = await service.call("/v1/key", bearer(endless.key));
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      await expectAnswer(answer, {
        status: 200,
        answer: '{"name":"test","environment":"production","scopes":[],"expiresAt":null}',
      });
    }
  });

  test("the scopes change at once when another process changes the key", async () => {
    await using service = await exercised.start();
    const { id, key } = await service.issueKey(["pets:read"]);
    const scopes = async () =>
      ((await (await service.call("/v1/key", bearer(key))).json()) as { scopes: string[] }).scopes;
    for (let turn = 0; turn < 3; turn++) expect(await scopes()).toEqual(["pets:read"]);
    await service.database.query(`UPDATE api_key SET scopes = '["pets:write"]' WHERE id = ${id}`);
    expect(await scopes()).toEqual(["pets:write"]);
    const other = await openStore(service.database.url, Date.now);
    await other.revokeKey(id, Date.now());
    await other.close();
    await expectAnswer(await service.call("/v1/key", bearer(key)), { status: 401, code: "unauthorized" });
  });

  everyOperation(exercised, {
    scope: undefined,
    request: { path: "/v1/key", status: 200 },
    // No request before it, so that the key is not known yet.
    stock: [],
    table: "api_key",
  });
}
