import { afterAll } from "bun:test";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { PostgresDatabases } from "../support/postgres-database.ts";
import { storeConformance } from "./store-conformance.ts";

const server: Postgres = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());

const databases = new PostgresDatabases(server);
storeConformance("postgres", () => databases.create());
