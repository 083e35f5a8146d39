import { expect } from "bun:test";
import { parseExact } from "../../contract/animal.ts";
import type { Client } from "../../contract/client.ts";

/** Adds an animal, and returns its id. */
export async function createAnimal(client: Client, name: string): Promise<bigint> {
  const { status, body } = await client.send({ path: "/pets", body: `{"name":"${name}","categoryId":1}` });
  expect(status).toBe(201);
  return (parseExact(body) as { id: bigint }).id;
}
