import { expect, test } from "bun:test";
import { UnexpectedResponseError } from "../../client/errors.ts";
import { type Service, startService } from "../support/service.ts";
import { clientOf, collect, errorOf } from "./client-of.ts";
import { startGateway } from "./gateway.ts";

async function stock(service: Service, count: number): Promise<void> {
  for (let id = 1; id <= count; id++)
    await service.create(JSON.stringify({ name: `a${id}`, categoryId: id % 2 }));
}

const idsOf = (animals: readonly { readonly id: bigint }[]) => animals.map(({ id }) => Number(id));
const targetsOf = (service: Service) => service.answered.map(({ method, status }) => `${method} ${status}`);

test("a loop visits every animal once, by the links of the pages", async () => {
  await using service = await startService();
  await stock(service, 7);
  const { pets } = clientOf(service);
  expect(idsOf(await collect(pets.list({ limit: 3 })))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const pages = await collect(pets.list({ limit: 3 }).pages());
  expect(pages.map(({ items }) => idsOf(items))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  expect(pages.map(({ next }) => next !== undefined)).toEqual([true, true, false]);
  expect(pages[1]?.url).toBe(pages[0]?.next as string);
  expect(await collect(pets.list({ status: "sold" }))).toEqual([]);
});

test("a page is fetched only when the loop reaches it", async () => {
  await using service = await startService();
  await stock(service, 5);
  const list = clientOf(service).pets.list({ limit: 2 });
  expect(targetsOf(service).filter((each) => each.startsWith("GET"))).toEqual([]);
  for await (const { id } of list) if (id === 3n) break;
  expect(targetsOf(service).filter((each) => each.startsWith("GET"))).toEqual(["GET 200", "GET 200"]);
});

test("without a limit a page has 100 animals", async () => {
  await using service = await startService();
  await stock(service, 101);
  const page = await clientOf(service).pets.list().firstPage();
  expect(page.items.length).toBe(100);
  expect(page.requestId).toBeDefined();
});

test("a list continues from a saved URL, and finds the animals added since", async () => {
  await using service = await startService();
  await stock(service, 3);
  const { pets } = clientOf(service);
  const [first, last] = await collect(pets.list({ limit: 2 }).pages());
  expect(idsOf(await collect(pets.listFrom(first?.next as string)))).toEqual([3]);
  await stock(service, 2);
  const other = clientOf(service);
  expect(idsOf(await collect(other.pets.listFrom(last?.url as string)))).toEqual([3, 4, 5]);
});

test("the API key goes to no other address, whatever a link or a caller says", async () => {
  await using service = await startService();
  await stock(service, 3);
  let stolen = 0;
  using thief = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json([], { status: 200 + stolen++ }),
  });
  for (const target of [
    `http://127.0.0.1:${thief.port}/v1/pets`,
    "//127.0.0.1:1/v1/pets",
    "/v2/pets",
    "/v1x/pets",
    "/v1/../pets",
    "/v1/%2e%2e/pets",
  ]) {
    await using gateway = startGateway(service, async ({ forward }) => {
      const response = await forward();
      return new Response(response.body, {
        headers: { ...headersOf(response), link: `<${target}>; rel="next"` },
      });
    });
    const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
    const error = await errorOf(collect(pets.list()));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain(target);
    expect(() => pets.listFrom(target)).toThrow(TypeError);
  }
  expect(stolen).toBe(0);
});

test.each(["/", "?", "/#"])("a base address may end in %s", async (end) => {
  await using service = await startService();
  await stock(service, 3);
  const { pets } = clientOf(service, { baseUrl: `${service.address}/v1${end}` });
  expect(idsOf(await collect(pets.list({ limit: 1 })))).toEqual([1, 2, 3]);
});

test("links work when a proxy serves the service below a path of its own", async () => {
  await using service = await startService();
  await stock(service, 3);
  await using gateway = startGateway(service, ({ forward }) => forward(), "/store");
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  expect(idsOf(await collect(pets.list({ limit: 1 })))).toEqual([1, 2, 3]);
  expect(gateway.requests.map(({ url }) => new URL(url).pathname)).toEqual(Array(3).fill("/store/v1/pets"));
  const { next = "" } = await pets.list({ limit: 1 }).firstPage();
  expect(idsOf(await collect(pets.listFrom(next)))).toEqual([2, 3]);
});

test("a proxy may put its own path before the path of each link, even a path that begins as the service's does", async () => {
  await using service = await startService();
  await stock(service, 3);
  const prefix = "/v1/store";
  await using gateway = startGateway(
    service,
    async ({ forward }) => {
      const response = await forward();
      const headers = headersOf(response);
      const link = headers.link?.replace("</v1/", `<${prefix}/v1/`);
      return new Response(response.body, { headers: { ...headers, ...(link && { link }) } });
    },
    prefix,
  );
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  expect(idsOf(await collect(pets.list({ limit: 1 })))).toEqual([1, 2, 3]);
});

function headersOf({ headers }: Response): Record<string, string> {
  const { "content-encoding": _, "content-length": __, ...rest } = Object.fromEntries(headers);
  return rest;
}

test("a list returns its first items without fetching more", async () => {
  await using service = await startService();
  await stock(service, 7);
  await using gateway = startGateway(service, ({ forward }) => forward());
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  const limits = () => gateway.requests.splice(0).map(({ url }) => new URL(url).searchParams.get("limit"));
  expect((await pets.list().first())?.id).toBe(1n);
  expect(limits()).toEqual(["1"]);
  expect(await pets.list({ status: "sold" }).first()).toBeUndefined();
  expect(limits()).toEqual(["1"]);
  expect(idsOf(await collect(pets.list({ limit: 2 }).take(3)))).toEqual([1, 2, 3]);
  expect(limits()).toEqual(["2", "2"]);
  expect(idsOf(await pets.list().toArray({ limit: 5 }))).toEqual([1, 2, 3, 4, 5]);
  expect(limits()).toEqual(["5"]);
  expect(idsOf(await pets.list({ limit: 3 }).toArray({ limit: 1000 }))).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(limits().length).toBe(3);
  expect(await pets.list().toArray({ limit: 0 })).toEqual([]);
  expect(await errorOf(pets.list().toArray({ limit: Number.NaN }))).toBeInstanceOf(RangeError);
});

test("a page that links to itself is not read for ever", async () => {
  await using service = await startService();
  await stock(service, 3);
  await using gateway = startGateway(service, async ({ forward, request }) => {
    const response = await forward();
    response.headers.set(
      "link",
      `<${new URL(request.url).pathname}${new URL(request.url).search}>; rel="next"`,
    );
    return response;
  });
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  const error = await errorOf(collect(pets.list({ limit: 2 })));
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error.message).toStartWith("listPets: the link to the next page is wrong: /v1/pets?limit=2");
});

test("a page without items that links to another does not end a list", async () => {
  await using service = await startService();
  await stock(service, 3);
  await using gateway = startGateway(service, async ({ forward, index }) => {
    const response = await forward();
    return index === 0 ? new Response("[]", { headers: headersOf(response) }) : response;
  });
  const { pets } = clientOf(service, { baseUrl: gateway.baseUrl });
  expect(idsOf(await collect(pets.list({ limit: 2 })))).toEqual([3]);
});
