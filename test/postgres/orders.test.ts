import { afterAll } from "bun:test";
import { orderConformance } from "../stores/order-conformance.ts";
import { PostgresDatabases } from "../support/postgres/databases.ts";
import { startPostgres } from "../support/postgres.ts";

const server = await startPostgres();
afterAll(() => server[Symbol.asyncDispose]());
const databases = new PostgresDatabases(server);

orderConformance("PostgreSQL", () => databases.create());
