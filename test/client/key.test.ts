import { expect, test } from "bun:test";
import { UnauthorizedError } from "../../client/errors-by-code.ts";
import { AnimalStore } from "../../client/main.ts";
import { startService } from "../support/service.ts";
import { clientOf, errorOf } from "./client-of.ts";

test("a program learns what its own key may do, and learns it again when its key is another", async () => {
  await using service = await startService();
  const own = await clientOf(service).key.get();
  expect(own).toMatchObject({ name: "test", environment: "production", expiresAt: null });
  expect(own.scopes).toContain("pets:write");
  const { id, key } = await service.issueKey(["pets:read"], Date.UTC(2099, 0, 1));
  let apiKey = service.key;
  const { key: changing } = new AnimalStore({ baseUrl: `${service.address}/v1`, apiKey: () => apiKey });
  expect(await changing.get()).toEqual(own);
  apiKey = key;
  const expected = { ...own, scopes: ["pets:read"], expiresAt: "2099-01-01T00:00:00.000Z" };
  for (let time = 0; time < 2; time++) expect(await changing.get()).toEqual(expected);
  await service.store.revokeKey(id, Date.now());
  expect(await errorOf(changing.get())).toBeInstanceOf(UnauthorizedError);
});
