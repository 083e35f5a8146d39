import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type SecureVersion, type TLSSocket } from "node:tls";
import { type Certificate, makeCertificate } from "../support/certificate.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/folder.ts";
import { run, type ServiceProcess, serve } from "../support/program.ts";

const ENV = { TLS_CERT: "cert.pem", TLS_KEY: "key.pem" };
const REPLACED = "the certificate was reloaded";
const UNUSABLE = "the certificate cannot be used; the previous one stays in force";

const CLOSING = /^connection: close\r$/im;

const one = makeCertificate("one");
const two = makeCertificate("two");

/** Puts a certificate where the service reads it. */
function place(folder: TemporaryFolder, { cert, key }: Omit<Certificate, "name">): void {
  writeFileSync(join(folder.path, ENV.TLS_CERT), cert);
  writeFileSync(join(folder.path, ENV.TLS_KEY), key);
}

async function startWith(folder: TemporaryFolder, certificate: Certificate): Promise<ServiceProcess> {
  place(folder, certificate);
  const service = await serve({ cwd: folder.path, env: ENV });
  // It listens for SIGHUP only in the moment after it said that it listens for clients.
  expect(await nameShown(service)).toBe(certificate.name);
  return service;
}

/** Sends SIGHUP and waits until the service has said something so many times. */
async function hangUp(service: ServiceProcess, text: string, times = 1): Promise<void> {
  service.kill("SIGHUP");
  while (service.output().split(text).length <= times) {
    await service.says(text);
    await Bun.sleep(5);
  }
}

/** A connection, with the name on the certificate that it was shown. */
interface Connection {
  readonly socket: TLSSocket;
  readonly shown: string;
}

/** Connects, trusting both certificates; `undefined` when the handshake comes to no end. */
function open({ address }: ServiceProcess): Promise<Connection | undefined> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const trusted = [one.cert, two.cert];
    const socket = connect({ host: hostname, port: Number(port), ca: trusted }, () =>
      resolve({ socket, shown: String(socket.getPeerCertificate().subject.CN) }),
    );
    socket.on("error", () => resolve(undefined));
  });
}

/** The certificate that a new connection is shown. */
async function nameShown(service: ServiceProcess): Promise<string | undefined> {
  const connection = await open(service);
  connection?.socket.destroy();
  return connection?.shown;
}

/** Asks for the animals, of which there are none; `undefined` when the connection ends before the whole answer. */
function ask({ socket }: Connection, { key }: ServiceProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    socket.removeAllListeners("data").removeAllListeners("close");
    socket.on("data", (bytes) => {
      text += bytes;
      if (text.endsWith("\r\n\r\n[]")) resolve(text);
    });
    socket.on("close", () => resolve(undefined));
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  });
}

/** What became of the requests of clients that never cease. */
interface Tally {
  answered: number;
  lost: number;
  /** The certificates of their connections. */
  readonly shown: Set<string>;
}

/**
 * Asks until it is over, on one connection for as long as the service lets it, or on a new one each time.
 * A connection that fails in its handshake has carried no request: it is made again.
 */
async function keepAsking(
  service: ServiceProcess,
  tally: Tally,
  over: () => boolean,
  reuse: boolean,
): Promise<void> {
  while (!over()) {
    const connection = await open(service);
    if (!connection) continue;
    tally.shown.add(connection.shown);
    for (let last = false; !last; ) {
      const answer = await ask(connection, service);
      if (answer?.startsWith("HTTP/1.1 200")) tally.answered++;
      else tally.lost++;
      last = answer === undefined || !reuse || over() || CLOSING.test(answer);
    }
    connection.socket.destroy();
  }
}

test("the service is reached by https, with the certificate that it was given", async () => {
  using folder = temporaryFolder();
  await using service = await startWith(folder, one);
  expect(service.address).toStartWith("https://127.0.0.1:");
  const init = { headers: { authorization: `Bearer ${service.key}` } };
  const answer = await fetch(`${service.address}/v1/pets`, { ...init, tls: { ca: one.cert } });
  expect([answer.status, await answer.text()]).toEqual([200, "[]"]);
  await expect(fetch(service.address, { ...init, tls: { ca: two.cert } })).rejects.toMatchObject({
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  // A plain request gets no answer in the clear.
  await expect(fetch(service.address.replace("https", "http"), init)).rejects.toThrow();
});

test("TLS 1.2 has no suite with CBC, also after the certificate was replaced", async () => {
  using folder = temporaryFolder();
  await using service = await startWith(folder, one);
  /** The suite that a client agrees on that knows one alone; `undefined` where it is refused. */
  const agreed = (ciphers: string, maxVersion: SecureVersion) => {
    const { hostname, port } = new URL(service.address);
    const options = { host: hostname, port: Number(port), ca: [one.cert, two.cert], ciphers, maxVersion };
    return new Promise<string | undefined>((resolve) => {
      const socket = connect(options, () => {
        resolve(socket.getCipher().name);
        socket.destroy();
      });
      socket.on("error", () => resolve(undefined));
    });
  };
  for (const certificate of [one, two]) {
    place(folder, certificate);
    await hangUp(service, REPLACED, certificate === one ? 1 : 2);
    for (const suite of [
      "ECDHE-ECDSA-AES128-GCM-SHA256",
      "ECDHE-ECDSA-AES256-GCM-SHA384",
      "ECDHE-ECDSA-CHACHA20-POLY1305",
    ]) {
      expect(await agreed(suite, "TLSv1.2")).toBe(suite);
    }
    for (const suite of ["AES128-SHA", "AES256-SHA", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA"]) {
      expect([suite, await agreed(suite, "TLSv1.2")]).toEqual([suite, undefined]);
    }
  }
});

test("SIGHUP replaces the certificate for new connections, and no request is lost", async () => {
  using folder = temporaryFolder();
  await using service = await startWith(folder, one);
  const silent = await open(service);
  const tally: Tally = { answered: 0, lost: 0, shown: new Set() };
  let over = false;
  const clients = Array.from({ length: 8 }, (_, n) => keepAsking(service, tally, () => over, n % 2 === 0));

  let replaced = 0;
  for (const next of [two, one]) {
    const before = tally.answered;
    while (tally.answered < before + 50) await Bun.sleep(1);
    place(folder, next);
    await hangUp(service, REPLACED, ++replaced);
    expect(await Promise.all(Array.from({ length: 5 }, () => nameShown(service)))).toEqual(
      Array(5).fill(next.name),
    );
  }
  over = true;
  await Promise.all(clients);
  expect(tally.lost).toBe(0);
  expect([...tally.shown].sort()).toEqual(["one", "two"]);

  // A connection from before the first has sent nothing so far: it keeps its certificate, for one answer.
  expect(silent?.shown).toBe("one");
  expect(silent && (await ask(silent, service))).toMatch(CLOSING);
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
});

test("an unusable new certificate is reported, and the former stays in force", async () => {
  using folder = temporaryFolder();
  await using service = await startWith(folder, one);
  const bad = [
    { cert: "nothing", key: two.key },
    { cert: two.cert, key: one.key },
    { cert: two.cert, key: "" },
  ];
  let told = 0;
  for (const files of bad) {
    place(folder, files);
    await hangUp(service, UNUSABLE, ++told);
    expect(await nameShown(service)).toBe("one");
  }
  rmSync(join(folder.path, ENV.TLS_CERT));
  await hangUp(service, UNUSABLE, ++told);
  expect(await nameShown(service)).toBe("one");
  expect(service.output()).not.toContain(REPLACED);

  place(folder, two);
  await hangUp(service, REPLACED);
  expect(await nameShown(service)).toBe("two");
});

test("an unusable certificate or key at the start ends the program with one clear line", async () => {
  using folder = temporaryFolder();
  const together = "TLS_CERT and TLS_KEY cannot be used together: ";
  const cases: [{ cert: string; key: string }, string][] = [
    [{ cert: "nothing", key: one.key }, `${together}no start line; both must be PEM files`],
    [{ cert: "", key: one.key }, `${together}no start line; both must be PEM files`],
    [{ cert: one.cert, key: "nothing" }, `${together}no start line; both must be PEM files`],
    [
      { cert: one.cert.slice(0, 200), key: one.key },
      `${together}bad end line; both must be complete PEM files`,
    ],
    [
      { cert: one.cert, key: two.key },
      `${together}key values mismatch; the certificate must have been made for this key`,
    ],
  ];
  const start = (env: Record<string, string>) => run(["serve", "--port", "0"], { cwd: folder.path, env });
  for (const [files, complaint] of cases) {
    place(folder, files);
    expect(await start(ENV)).toEqual({ exitCode: 1, stdout: "", stderr: `animal-store: ${complaint}\n` });
  }
  place(folder, one);
  for (const name of ["TLS_CERT", "TLS_KEY"]) {
    const { exitCode, stderr } = await start({ ...ENV, [name]: "missing.pem" });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^animal-store: ${name} cannot be read: .*missing\\.pem.*\n$`)),
    ]);
  }
});

test("a port in use is noticed, whichever program uses it", async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  await using secure = await startWith(folder, one);
  await using plain = await serve({ cwd: other.path });
  for (const [taken, env] of [
    [secure, ENV],
    [secure, {}],
    [plain, ENV],
    [plain, {}],
  ] as const) {
    const { port } = new URL(taken.address);
    const { exitCode, stderr } = await run(["serve", "--port", port], { cwd: folder.path, env });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(`port ${port} on 127.0.0.1 is in use`)]);
  }
});
