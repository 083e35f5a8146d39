import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../../test/support/certificate.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { freePort } from "../../test/support/free-port.ts";
import { type ServiceProcess, serve, TIED } from "../../test/support/program.ts";
import { until } from "../../test/support/until.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
const BODY = '{"name":"Rex","categoryId":9223372036854775807}';

/** A proxy that runs as its file in `deploy/` says, but for addresses and certificate. */
interface Proxy {
  /** Writes the configuration below a folder. */
  prepare(folder: string, port: number, service: string): void;
  readonly check: readonly string[];
  readonly run: readonly string[];
}

const PROXIES: Record<string, Proxy> = {
  nginx: {
    prepare(folder, port, service) {
      const site = replaceEach(readFileSync(join(DEPLOY, "nginx.conf"), "utf8"), {
        "listen 443 ": `listen 127.0.0.1:${port} `,
        "server 127.0.0.1:8080;": `server ${service};`,
        "/etc/ssl/certs/animals.example.com.pem": join(folder, "cert.pem"),
        "/etc/ssl/private/animals.example.com.pem": join(folder, "key.pem"),
      });
      const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ");
      writeFileSync(
        join(folder, "proxy.conf"),
        `daemon off; user root; pid ${folder}/pid; error_log stderr; events {}\n` +
          `http { access_log off; ${temporary}\n${site}}\n`,
      );
    },
    check: ["nginx", "-t", "-c", "proxy.conf", "-p", "."],
    run: ["nginx", "-c", "proxy.conf", "-p", "."],
  },
  Caddy: {
    prepare(folder, port, service) {
      const site = replaceEach(readFileSync(join(DEPLOY, "Caddyfile"), "utf8"), {
        "\nanimals.example.com {\n": `\nanimals.example.com:${port} {\n\ttls cert.pem key.pem\n`,
        "127.0.0.1:8080 {": `${service} {`,
      });
      writeFileSync(
        join(folder, "proxy.conf"),
        `{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n${site}`,
      );
    },
    check: ["caddy", "validate", "--adapter", "caddyfile", "--config", "proxy.conf"],
    run: ["caddy", "run", "--adapter", "caddyfile", "--config", "proxy.conf"],
  },
};

/** Replaces texts that must be there, so that a file which has changed is not taken for the tested one. */
function replaceEach(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((replaced, [from, to]) => {
    expect(replaced).toContain(from);
    return replaced.replace(from, to);
  }, text);
}

interface Answer {
  readonly version: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function startBehind({ prepare, check, run }: Proxy) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const env = {
    TRUST_PROXY: "true",
    HSTS_SECONDS: "3600",
    LOG_REQUESTS: "true",
    WORKERS: "1",
    STABILITY: "experimental",
  };
  const service: ServiceProcess = stack.use(await serve({ cwd: folder.path, env }));
  const home = join(folder.path, "proxy");
  mkdirSync(home);
  const certificate = makeCertificate("animals.example.com");
  writeFileSync(join(home, "cert.pem"), certificate.cert);
  writeFileSync(join(home, "key.pem"), certificate.key);
  const port = freePort();
  prepare(home, port, new URL(service.address).host);
  const surroundings = { cwd: home, env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: home } };
  const checked = Bun.spawnSync([...check], { ...surroundings, stderr: "pipe" });
  expect({ exitCode: checked.exitCode, stderr: checked.stderr.toString() }).toMatchObject({ exitCode: 0 });
  const proxy = Bun.spawn([...TIED, ...run], { ...surroundings, stdout: "ignore", stderr: "ignore" });
  stack.defer(async () => {
    proxy.kill("SIGTERM");
    await proxy.exited;
  });

  /** Asks by curl, a client with an HTTP/2 of its own. */
  const call = async (path: string, ...args: string[]): Promise<Answer> => {
    const curl = [
      ..."curl --silent --insecure --http2 --include --resolve".split(" "),
      `animals.example.com:${port}:127.0.0.1`,
      ...args,
      `https://animals.example.com:${port}${path}`,
    ];
    const text = await new Response(Bun.spawn(curl, { stdout: "pipe" }).stdout).text();
    const [head = "", ...body] = text.split("\r\n\r\n");
    const [statusLine = "", ...fields] = head.split("\r\n");
    const [version = "", status] = statusLine.split(" ");
    const headers = new Headers(fields.map((field) => field.split(/: (.*)/, 2) as [string, string]));
    return { version, status: Number(status), headers, body: body.join("\r\n\r\n") };
  };
  /** Opens a stream of events by curl, which writes each byte as it arrives. */
  const follow = (...args: string[]) => {
    const resolve = `animals.example.com:${port}:127.0.0.1`;
    const url = `https://animals.example.com:${port}/v1/events?from=latest`;
    const options = "--silent --insecure --http2 --no-buffer --header Accept:text/event-stream --resolve";
    const curl = Bun.spawn([...TIED, "curl", ...options.split(" "), resolve, ...args, url], {
      stdout: "pipe",
    });
    stack.defer(() => void curl.kill());
    return curl.stdout;
  };
  await until(async () => (await call("/livez")).status === 200);
  const authorized = ["--header", `Authorization: Bearer ${service.key}`];
  const create = [...authorized, "--header", "Content-Type: application/json", "--data-binary", BODY];
  return { service, call, follow, authorized, create, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

for (const [name, proxy] of Object.entries(PROXIES)) {
  test(`deploy/ has a ${name} that gives clients HTTP/2, and changes nothing of what the service says`, async () => {
    await using place = await startBehind(proxy);
    const { service, call, authorized, create } = place;
    const created = await call("/v1/pets", ...create, "--header", "Idempotency-Key: one");
    expect(created).toMatchObject({
      version: "HTTP/2",
      status: 201,
      body: `{"id":1,${BODY.slice(1, -1)},"status":"available"}`,
    });
    expect(created.headers.get("location")).toBe("/v1/pets/1");
    const replayed = await call("/v1/pets", ...create, "--header", "Idempotency-Key: one");
    expect([replayed.body, replayed.headers.get("idempotent-replayed")]).toEqual([created.body, "true"]);

    const listed = await call("/v1/pets?limit=1&x=%2F..%2F", ...authorized);
    expect(listed).toMatchObject({ version: "HTTP/2", status: 200, body: `[${created.body}]` });
    expect(listed.headers.get("strict-transport-security")).toBe("max-age=3600");
    const condition = ["--header", `If-None-Match: ${listed.headers.get("etag")}`];
    expect((await call("/v1/pets?limit=1&x=%2F..%2F", ...authorized, ...condition)).status).toBe(304);
    expect(JSON.parse((await call("/v1/nowhere", ...authorized)).body)).toMatchObject({
      code: "path_not_found",
    });
    const large = [
      ...authorized,
      "--header",
      "Content-Type: application/json",
      "--data-binary",
      "x".repeat(70_000),
    ];
    expect(JSON.parse((await call("/v1/pets", ...large)).body)).toMatchObject({ code: "body_too_large" });

    // The runtime's own HTTP/2 loses some of these, which are answered before their body is read.
    const refused = await Promise.all(
      Array.from({ length: 60 }, () => call("/v1/pets", "--data-binary", "x".repeat(60_000))),
    );
    expect(new Set(refused.map(({ version, status }) => `${version} ${status}`))).toEqual(
      new Set(["HTTP/2 401"]),
    );

    // What a client writes about itself is not believed.
    await call(
      "/v1/pets",
      ...authorized,
      "--header",
      "X-Forwarded-For: 203.0.113.7",
      "--header",
      "X-Request-Id: mine",
    );
    await service.says('"requestId":"mine"');
    const line = service
      .output()
      .split("\n")
      .find((each) => each.includes('"requestId":"mine"'));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ client: "127.0.0.1" });
  });
}

/** Longer than any read timeout in `deploy/`, in comments of which one comes every 15 s. */
const COMMENTS = 4;

for (const [name, proxy] of Object.entries(PROXIES)) {
  test.concurrent(`${name} of deploy/ passes each event at once, and heartbeats keep a stream open`, async () => {
    await using place = await startBehind(proxy);
    const { call, follow, authorized, create } = place;
    let text = "";
    let isOpen = true;
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of follow(...authorized)) text += decoder.decode(bytes, { stream: true });
      isOpen = false;
    })();
    const has = (part: RegExp, count: number) =>
      until(() => {
        if (!isOpen) throw new Error(`the stream ended after ${JSON.stringify(text)}`);
        return (text.match(part) ?? []).length >= count;
      });
    await has(/^retry: /gm, 1);
    // Each is there before the next one is created: nothing on the way collects them.
    for (let id = 1; id <= 3; id++) {
      expect((await call("/v1/pets", ...create)).status).toBe(201);
      await has(/^event: animal\.created$/gm, id);
    }
    await has(/^:$/gm, COMMENTS);
    expect((await call("/v1/pets", ...create)).status).toBe(201);
    await has(/^event: animal\.created$/gm, 4);
    expect(isOpen).toBe(true);
    void reading;
  });
}
