import { AnimalsApi, Configuration, ResponseError } from "./client";

declare const process: { env: Record<string, string | undefined> };

function connect(accessToken: string): AnimalsApi {
  return new AnimalsApi(new Configuration({ basePath: process.env.ANIMAL_STORE_URL ?? "", accessToken }));
}

async function names(api: AnimalsApi): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api.listPetsRaw({ limit: 2, ...(cursor !== undefined && { cursor }) });
    for (const { name } of await page.value()) found.push(name);
    cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(page.raw.headers.get("link") ?? "")?.[1];
    if (cursor === undefined) return found;
  }
}

async function refused(what: string, call: Promise<unknown>): Promise<void> {
  const error = await call.catch((error: unknown) => error);
  if (!(error instanceof ResponseError)) throw error;
  const { code } = (await error.response.json()) as { code: string };
  console.log(`${what} ${error.response.status} ${code}`);
}

const api = connect(process.env.API_KEY ?? "");
// The greatest that JavaScript's numbers hold exactly: 9223372036854775807 would become a number that int64 cannot hold.
const created = await api.createPet({ animalInput: { name: "Rex", categoryId: Number.MAX_SAFE_INTEGER } });
console.log(`created ${created.categoryId}`);
console.log(`got ${(await api.getPet({ petId: created.id })).categoryId}`);
console.log(`listed ${(await names(api)).join(",")}`);
await refused("unauthorized", connect("wrong").listPets());
await refused("unknown", api.getPet({ petId: 4242 }));
// White space that only Unicode knows: the pattern lets it pass, the service does not.
await refused("invalid", api.createPet({ animalInput: { name: "\u2003", categoryId: 1 } }));
