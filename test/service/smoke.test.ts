import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/folder.ts";
import { serve } from "../support/program.ts";
import { startService } from "../support/service.ts";

test("a service within the tests' own process adds an animal and lists it", async () => {
  await using service = await startService();
  const created = await service.create('{"name":"Rex","categoryId":12}');
  expect(created.status).toBe(201);
  expect(await (await service.call("/v1/pets")).text()).toBe(
    '[{"id":1,"name":"Rex","categoryId":12,"status":"available"}]',
  );
});

test("the program starts in an empty folder and answers its first key", async () => {
  using folder = temporaryFolder();
  await using service = await serve({ cwd: folder.path });
  const answer = await fetch(`${service.address}/v1/pets`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  expect(answer.status).toBe(200);
});
