import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startGateway } from "../../test/client/gateway.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { LONG_RUN_MS } from "../../test/support/run-limits.ts";
import { type Service, startService } from "../../test/support/service.ts";
import { bru } from "./tools.ts";

const COLLECTION = join(import.meta.dir, "../../examples/bruno");
const FILES = readdirSync(COLLECTION).filter((file) => file.endsWith(".bru"));
const REQUESTS = FILES.length;
/** The requests with a test in addition to their assertions: the lists. */
const TESTS = FILES.filter((file) =>
  readFileSync(join(COLLECTION, file), "utf8").includes("\ntests {"),
).length;

test(
  "Bruno's own runner finds every response of the collection as the document says",
  async () => {
    await using service = await startService();
    const { exitCode, report } = await runCollection(`${service.address}/v1`, service);
    expect(report).toMatchObject({ passedRequests: REQUESTS, totalRequests: REQUESTS, failedAssertions: 0 });
    expect(report.passedAssertions).toBeGreaterThan(5 * REQUESTS);
    expect(exitCode).toBe(0);
  },
  LONG_RUN_MS,
);

test(
  "it finds a header that is missing, and a member of another type",
  async () => {
    await using service = await startService();
    await using gateway = startGateway(service, async ({ forward }) => {
      const response = await forward();
      const {
        "x-request-id": _,
        "content-encoding": __,
        "content-length": ___,
        ...headers
      } = Object.fromEntries(response.headers);
      const text = (await response.text()).replace(/"id":(\d+)/g, '"id":"$1"');
      return new Response(text, { status: response.status, headers });
    });
    const { exitCode, report } = await runCollection(gateway.baseUrl, service);
    expect(exitCode).toBe(1);
    expect(report.failedRequests).toBe(REQUESTS);
    expect(report.failedTests).toBe(TESTS);
  },
  LONG_RUN_MS,
);

interface Summary {
  readonly totalRequests: number;
  readonly passedRequests: number;
  readonly failedRequests: number;
  readonly passedAssertions: number;
  readonly failedAssertions: number;
  readonly failedTests: number;
}

async function runCollection(
  baseUrl: string,
  { key }: Service,
): Promise<{ readonly exitCode: number; readonly report: Summary }> {
  using folder = temporaryFolder();
  cpSync(COLLECTION, folder.path, { recursive: true });
  const report = join(folder.path, "report.json");
  const variables = ["--env", "Local", "--env-var", `baseUrl=${baseUrl}`, "--env-var", `apiKey=${key}`];
  const child = Bun.spawn([await bru(), "run", "-r", ...variables, "--reporter-json", report], {
    cwd: folder.path,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  const exitCode = await child.exited;
  const [iteration] = (await Bun.file(report).json()) as { readonly summary: Summary }[];
  return { exitCode, report: (iteration as { readonly summary: Summary }).summary };
}
