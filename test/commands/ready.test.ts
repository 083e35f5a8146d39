import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

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
