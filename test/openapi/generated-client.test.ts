import { expect, test } from "bun:test";
import { join } from "node:path";
import { generate } from "openapi-typescript-codegen";
import { temporaryFolder } from "../support/folder.ts";
import { startService } from "../support/service.ts";

const ROOT = join(import.meta.dir, "../..");

/** How a careful project would check the client that it generated. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
  },
  include: ["."],
};

/** What the published generator makes of openapi.json, as far as it is used here. */
interface Client {
  readonly OpenAPI: { BASE: string; TOKEN?: string };
  readonly AnimalsService: {
    listPets(limit?: number, status?: string, cursor?: string): Promise<unknown[]>;
    createPet(animal: object): Promise<{ id: number }>;
    getPet(id: number): Promise<unknown>;
  };
}

test("a public generator makes a client that compiles and works", async () => {
  using folder = temporaryFolder();
  const input = join(ROOT, "openapi.json");
  await generate({ input, output: folder.path, httpClient: "fetch", useUnionTypes: true });

  await Bun.write(join(folder.path, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const compiler = Bun.spawnSync([join(ROOT, "node_modules/.bin/tsc"), "-p", folder.path]);
  expect(compiler.stdout.toString()).toBe("");
  expect(compiler.exitCode).toBe(0);

  await using service = await startService();
  const { OpenAPI, AnimalsService }: Client = await import(join(folder.path, "index.ts"));
  expect(OpenAPI.BASE).toBe("http://127.0.0.1:8080/v1");
  OpenAPI.BASE = `${service.address}/v1`;
  OpenAPI.TOKEN = service.key;

  const rex = { id: 1, name: "Rex", categoryId: 12, status: "available" };
  const mia = { id: 2, name: "Mia", categoryId: 7, status: "sold" };
  expect(await AnimalsService.createPet({ name: "Rex", categoryId: 12 })).toEqual(rex);
  expect(await AnimalsService.createPet({ name: "Mia", categoryId: 7, status: "sold" })).toEqual(mia);
  expect(await AnimalsService.listPets()).toEqual([rex, mia]);
  expect(await AnimalsService.listPets(1)).toEqual([rex]);
  expect(await AnimalsService.listPets(undefined, "sold")).toEqual([mia]);
  expect(await AnimalsService.getPet(2)).toEqual(mia);

  // Its exception carries our Error whole, so that a program can branch on `code`.
  expect(await refusalOf(AnimalsService.getPet(3))).toEqual({
    status: 404,
    body: { code: "animal_not_found", message: "There is no animal with the id `3`.", status: 404 },
  });
  expect(await refusalOf(AnimalsService.createPet({ name: "" }))).toMatchObject({
    status: 400,
    body: { code: "invalid_body" },
  });
  OpenAPI.TOKEN = "wrong";
  expect(await refusalOf(AnimalsService.listPets())).toMatchObject({
    status: 401,
    body: { code: "unauthorized" },
  });
});

async function refusalOf(call: Promise<unknown>): Promise<{ status: unknown; body: unknown }> {
  const { status, body } = await call.then(
    () => ({ status: "none", body: "none" }),
    (error) => error,
  );
  return { status, body };
}
