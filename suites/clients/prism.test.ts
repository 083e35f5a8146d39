import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { freePort } from "../../test/support/free-port.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { startSandbox } from "../../test/support/sandbox.ts";
import { Child } from "../../verify/child.ts";
import { prism } from "./tools.ts";

const JSON_BODY = { "content-type": "application/json" };

test(
  "Prism as a proxy passes what the OpenAPI document declares, and names a response and a request that it does not",
  async () => {
    await using sandbox = await startSandbox();
    using folder = temporaryFolder();
    const document = join(folder.path, "openapi.json");
    await Bun.write(document, await (await fetch(`${sandbox.address}/openapi.json`)).text());
    const port = `${freePort()}`;
    const command = [await prism(), "proxy", document, `${sandbox.address}/v1`, "--errors", "-p", port];
    await using proxy = new Child(command, { cwd: folder.path, env: process.env });
    await proxy.says("Prism is listening on");
    /** Calls it as a client of the sandbox would, without `/v1`. */
    const call = async (method: string, path: string, body?: string) => {
      // It asks the service for what the client accepts, and cannot read zstd.
      const own = { authorization: `Bearer ${sandbox.key}`, "accept-encoding": "gzip" };
      const headers = { ...own, ...(body && JSON_BODY) };
      const init = { method, headers, ...(body && { body }) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      return { status: response.status, body: await response.text() };
    };
    expect((await call("GET", "/pets?limit=2")).status).toBe(200);
    expect((await call("GET", "/pets/1")).status).toBe(200);
    expect((await call("GET", "/pets/4096")).status).toBe(404);
    expect((await call("POST", "/pets", '{"name":"Rex","categoryId":1}')).status).toBe(201);
    expect((await call("POST", "/orders", '{"petId":25}')).status).toBe(201);
    expect((await call("GET", "/orders/5")).status).toBe(200);
    expect((await call("GET", "/events?limit=20")).status).toBe(200);
    const refused = await call("POST", "/pets", '{"name":"Rex"}');
    expect(refused.status).toBe(422);
    expect(refused.body).toContain("stoplight.io/prism/errors");
    expect(refused.body).toContain("categoryId");
    await sandbox.plan({ fault: "wrong_content_type", operation: "listPets" });
    const altered = await call("GET", "/pets");
    expect(altered.status).toBe(500);
    expect(altered.body).toContain("stoplight.io/prism/errors#VIOLATIONS");
  },
  LONG_RUN_MS,
);
