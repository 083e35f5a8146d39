import { type Animal, animalsOf } from "./animal.ts";
import type { Client } from "./client.ts";
import { assert, Inconclusive } from "./contract-violation.ts";
import { nextQueryOf } from "./headers.ts";

/** Reads every animal by following the links. */
export async function walk(client: Client): Promise<Animal[]> {
  const stock: Animal[] = [];
  const listPath = `${new URL(client.base).pathname}/pets`;
  for (let path: string | undefined = "/pets?limit=100"; path !== undefined; ) {
    const { status, body, headers } = await client.send({ path });
    if (status === 503) throw Inconclusive.of503(body);
    assert(status === 200, "200", `${status}`, client.curl({ path }));
    stock.push(...animalsOf(body));
    const next: URLSearchParams | undefined = nextQueryOf(headers, listPath);
    path = next && `/pets?${next}`;
  }
  return stock;
}
