import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { temporaryFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres.ts";
import { run, serve } from "../support/program.ts";

/** A server on a port of its own that sends the same bytes to each client, and then nothing. */
async function serverThatSends(bytes: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { port: `${port}`, [Symbol.dispose]: () => void server.close() };
}

const OK = "HTTP/1.1 200 OK\r\n";
const NOT_OURS =
  "is not an Animal Store: another program uses this port. Name the service's with --host and --port.";

test.each([
  ["nothing", "", "does not respond: The operation timed out."],
  [
    "half a response",
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{",
    "does not respond: The operation timed out.",
  ],
  [
    "the page of another program",
    `HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\n${"x".repeat(1000)}`,
    NOT_OURS,
  ],
  ["an answer that any program might give", `${OK}Content-Length: 18\r\n\r\n{"status":"ready"}`, NOT_OURS],
  ["a redirect", "HTTP/1.1 302 Found\r\nLocation: /readyz\r\nContent-Length: 0\r\n\r\n", NOT_OURS],
  ["JSON that is no object", `${OK}Content-Length: 4\r\n\r\nnull`, NOT_OURS],
])("`ready` on a port that sends %s says so in one line", async (_, bytes, problem) => {
  using folder = temporaryFolder();
  using server = await serverThatSends(bytes);
  expect(await run(["ready", "--port", server.port], { cwd: folder.path })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `animal-store: http://127.0.0.1:${server.port} ${problem}\n`,
  });
});

test.each([1, 2])(
  "the log at the start, `ready --json` and each backup name the same store (WORKERS=%i)",
  async (workers) => {
    using folder = temporaryFolder();
    const options = { cwd: folder.path, env: { WORKERS: `${workers}` } };
    await using service = await serve(options);
    await service.says('"msg":"listening');
    const [, identity] = /"store":"([0-9a-f]{32})"/.exec(service.output()) ?? [];
    const { port } = new URL(service.address);
    const asked = await run(["ready", "--port", port, "--json"], options);
    expect(JSON.parse(asked.stdout)).toEqual({ address: service.address, ready: true, store: identity });
    const { stderr } = await run(["backup", "a.bak"], options);
    expect(stderr).toContain(`animal-store.db (store ${identity}): `);
    expect(JSON.parse((await run(["backup", "--check", "a.bak", "--json"], options)).stdout)).toMatchObject({
      identity,
    });
  },
);

test("a store in PostgreSQL is its database, so `ready --json` names none", async () => {
  using folder = temporaryFolder();
  await using postgres = await startPostgres();
  const options = { cwd: folder.path, env: { DATABASE_URL: await postgres.createDatabase() } };
  await using service = await serve(options);
  const { port } = new URL(service.address);
  const asked = await run(["ready", "--port", port, "--json"], options);
  expect(JSON.parse(asked.stdout)).toEqual({ address: service.address, ready: true, store: null });
  expect(service.output()).not.toContain('"store":');
});
