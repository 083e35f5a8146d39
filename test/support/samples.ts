import { expect } from "bun:test";
import { join } from "node:path";
import { CATALOGUE } from "../../src/operations/catalogue.ts";
import { temporaryFolder } from "./folder.ts";
import { runCommand } from "./run-command.ts";
import type { Service } from "./service.ts";

const GREATEST = "9223372036854775807";
/** More than the samples' `limit`, so that the list has a second page. */
const ANIMALS = 23;
/** The animal that the example of an order names. */
const ORDERED = 7;

/** How to run a sample of one language. */
export interface SampleRunner {
  readonly file: string;
  readonly command: (file: string) => readonly string[];
  /** Whether its sample of a list follows the links to more pages. */
  readonly followsLinks: boolean;
  readonly prepare?: (sample: string) => string;
}

/**
 * How Node runs the samples in JavaScript, and those with the client.
 * @param client the folder of the built client, in place of the package that npm installs
 */
export function nodeRunners(
  node: string,
  client: string,
): Readonly<Record<"javascript" | "client", SampleRunner>> {
  const shared = { command: (file: string) => [node, file], followsLinks: true };
  const installed = JSON.stringify(join(client, "main.js"));
  const prepare = (sample: string) => sample.replace('"@animal-store/client"', installed);
  return {
    // As Node 20 reads a `.js` file; what runs as CommonJS also runs as a module.
    javascript: { ...shared, file: "sample.cjs" },
    client: { ...shared, file: "sample.mjs", prepare },
  };
}

/** Runs the samples of one language as the reference of a service shows them, and checks what they print and did. */
export async function expectSamplesToWork(
  service: Service,
  language: string,
  runner: SampleRunner,
): Promise<void> {
  await service.store.recordEvents(true);
  const create = (name: string, categoryId: string) =>
    service.create(`{"name":"${name}","categoryId":${categoryId}}`);
  await create("The first", GREATEST);
  for (let n = 2; n <= ANIMALS; n++) await create(`Animal ${n}`, "7");
  const page = await (await fetch(`${service.address}/docs/samples/${language}.md`)).text();

  const get = await runSample(service, sampleIn(page, "getPet"), runner);
  expect(get).toContain("The first");
  expect(get).toContain(GREATEST);
  const list = await runSample(service, sampleIn(page, "listPets"), runner);
  expect(list).toContain(GREATEST);
  expect(list.includes(`Animal ${ANIMALS}`)).toBe(runner.followsLinks);
  const created = await runSample(service, sampleIn(page, "createPet"), runner);
  expect(created).toContain("Rex");
  expect(created).toContain(String(ANIMALS + 1));
  const added = await service.call(`/v1/pets/${ANIMALS + 1}`);
  expect(await added.json()).toMatchObject({ name: "Rex", categoryId: 12 });

  const sample = (operation: string) => runSample(service, sampleIn(page, operation), runner);
  const stored = async () => (await service.call("/v1/orders/1")).json();
  expect(await sample("placeOrder")).toMatch(/placed/);
  expect(await stored()).toMatchObject({ petId: ORDERED, status: "placed" });
  expect(await sample("listOrders")).toMatch(/placed/);
  expect(await sample("updateOrder")).toMatch(/approved/);
  expect(await stored()).toMatchObject({ petId: ORDERED, status: "approved" });
  expect(await sample("getOrder")).toMatch(/approved/);
  // Every page of the feed has a link, so a sample that follows links ends at a page without events.
  expect(await sample("listEvents")).toContain("animal.created");
  const tried = ["getPet", "listPets", "createPet", "placeOrder", "listOrders", "updateOrder", "getOrder"];
  for (const { id, method } of CATALOGUE) {
    // A sample that gets an Error fails, or prints it.
    if (method === "GET" && ![...tried, "listEvents"].includes(id)) {
      const printed = await sample(id);
      expect({ id, printed }).toEqual({ id, printed: expect.not.stringMatching(/^\s*$|"?code"?:/) });
    }
  }
}

async function runSample(service: Service, sample: string, runner: SampleRunner): Promise<string> {
  const { file, command, prepare = (text) => text } = runner;
  using folder = temporaryFolder();
  await Bun.write(join(folder.path, file), prepare(sample));
  const { stdout } = await runCommand(command(file), {
    cwd: folder.path,
    env: { API_KEY: service.key, GO111MODULE: "off" },
  });
  return stdout;
}

/** The sample of an operation in the Markdown of a language's page, which the reference shows too. */
function sampleIn(markdown: string, operation: string): string {
  const section = markdown.split(/^## /m).find((part) => part.includes(`Operation \`${operation}\``)) ?? "";
  const [, code] = /^```\w+\n(.*?)^```$/ms.exec(section) ?? [];
  if (code === undefined) throw new Error(`the page has no sample for ${operation}`);
  return code;
}
