import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../test/support/free-port.ts";
import { requiredProgram } from "../../../test/support/installed-programs.ts";
import { startSandbox } from "../../../test/support/sandbox.ts";
import { until } from "../../../test/support/until.ts";
import { Child } from "../../../verify/child.ts";
import { jsonServer, msw, prism, wireMock } from "../tools.ts";
import { callerOf, type Tool } from "./tool.ts";

const DOCUMENT = join(import.meta.dir, "../../../openapi.json");

/** The tools, by the names that docs/comparison.md gives them; each gets an empty folder. */
export const TOOLS: Readonly<Record<string, (folder: string) => Promise<Tool>>> = {
  "Animal Store's sandbox": async () => {
    const sandbox = await startSandbox();
    return {
      call: callerOf(`${sandbox.address}/v1`, { authorization: `Bearer ${sandbox.key}` }),
      loseNextResponse: () => sandbox.plan({ fault: "lost", operation: "createPet", count: 1 }),
      creates: async () => {
        const journal = await sandbox.control("GET", "/requests?operation=createPet&limit=0");
        return ((await journal.json()) as { count: number }).count;
      },
      [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    };
  },

  "WireMock 3.13": async (folder) => {
    const port = freePort();
    const command = [requiredProgram("java", "default-jdk-headless"), "-jar", await wireMock()];
    const child = new Child([...command, "--port", `${port}`, "--bind-address", "127.0.0.1"], {
      cwd: folder,
      env: process.env,
    });
    const address = `http://127.0.0.1:${port}`;
    const admin = async (path: string, body: unknown) => {
      const response = await fetch(`${address}/__admin${path}`, {
        method: "POST",
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as { count: number };
    };
    await until(() =>
      fetch(`${address}/__admin/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const create = { method: "POST", urlPath: "/v1/pets" };
    const headers = { "Content-Type": "application/json" };
    const member = (name: string) => `{{jsonPath request.body '$.${name}'}}`;
    const body = `{"id":25,"name":"${member("name")}","categoryId":${member("categoryId")},"status":"available"}`;
    await admin("/mappings", {
      request: create,
      response: { status: 201, headers, body, transformers: ["response-template"] },
    });
    await admin("/mappings", {
      request: { method: "GET", urlPath: "/v1/pets" },
      response: { status: 200, headers, body: "[]" },
    });
    return {
      call: callerOf(`${address}/v1`),
      loseNextResponse: () =>
        admin("/mappings", { priority: 1, request: create, response: { fault: "EMPTY_RESPONSE" } }),
      creates: async () => (await admin("/requests/count", create)).count,
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  },

  "MSW 2.11": async (folder) => {
    cpSync(join(import.meta.dir, "msw.mjs"), join(folder, "msw.mjs"));
    symlinkSync(await msw(), join(folder, "node_modules"));
    const child = new Child([requiredProgram("node"), "msw.mjs"], { cwd: folder, env: process.env });
    const [address = ""] = await child.says(/^http:.*$/m);
    const call = callerOf(address);
    return {
      call,
      loseNextResponse: () => call("GET", "/lose"),
      creates: async () => Number((await call("GET", "/creates")).body),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  },

  "Prism 5.14": async (folder) => {
    const port = freePort();
    const command = [await prism(), "mock", DOCUMENT, "-p", `${port}`];
    const child = new Child(command, { cwd: folder, env: process.env });
    await child.says("Prism is listening on");
    return {
      call: callerOf(`http://127.0.0.1:${port}`, { authorization: "Bearer any" }),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  },

  "json-server 0.17": async (folder) => {
    const port = freePort();
    await Bun.write(join(folder, "db.json"), '{"pets":[]}');
    const command = [requiredProgram("node"), await jsonServer(), "--port", `${port}`, "db.json"];
    const child = new Child(command, { cwd: folder, env: process.env });
    const call = callerOf(`http://127.0.0.1:${port}`);
    await until(async () => (await call("GET", "/pets")).status === 200);
    return { call, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
  },
};
