import { afterAll } from "bun:test";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { storeConformance } from "./store-conformance.ts";

const server: Postgres = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

storeConformance("postgres", async () => ({
  url: await server.createDatabase(),
  async [Symbol.asyncDispose]() {},
}));
