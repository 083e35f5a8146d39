import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type Certificate, makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startOwnPostgres } from "../support/postgres.ts";
import { run, serve } from "../support/program.ts";
import { startProxy } from "../support/proxy.ts";

const server = await startOwnPostgres(["fsync=off"]);
const files = temporaryFolder();
const ours = makeCertificate("ours");
const others = makeCertificate("others");
const expired = makeCertificate("expired", -3);
const early = makeCertificate("early", 1);
const admin = new SQL({ url: server.url, max: 1 });
afterAll(async () => {
  await admin.close();
  await server[Symbol.asyncDispose]();
  files[Symbol.dispose]();
});

beforeAll(async () => {
  await admin.unsafe("CREATE ROLE clerk LOGIN PASSWORD 'right'");
  await admin.unsafe("CREATE DATABASE animals");
  await admin.unsafe("CREATE DATABASE frozen");
  await admin.unsafe("ALTER DATABASE frozen SET default_transaction_read_only = on");
  writeFileSync(join(files.path, "ours.pem"), ours.cert);
  writeFileSync(join(files.path, "others.pem"), others.cert);
  writeFileSync(join(files.path, "others.key"), others.key);
  writeFileSync(join(files.path, "letter.pem"), "Dear aunt");
});

/** The URL of a database, for a user. */
function url({
  user = "postgres",
  host = "127.0.0.1",
  port = server.port,
  database = "animals",
  query = "",
} = {}) {
  return `postgres://${user}@${host}:${port}/${database}${query && `?${query}`}`;
}

/** Tries to start the service, or another command; returns the one line that it says. */
async function complaint(
  DATABASE_URL: string,
  exitCode = 1,
  command = ["serve", "--port", "0"],
): Promise<string> {
  using folder = temporaryFolder();
  const said = await run(command, { cwd: folder.path, env: { DATABASE_URL } });
  expect(said).toEqual({
    exitCode,
    stdout: "",
    stderr: expect.stringMatching(/^animal-store: [^\n]*\n$/),
  });
  expect(said.stderr).not.toContain("secret");
  return said.stderr;
}

/** Uses the store once. */
async function use(DATABASE_URL: string): Promise<void> {
  using folder = temporaryFolder();
  const seeded = await run(["seed", "--count", "1", "--quiet"], { cwd: folder.path, env: { DATABASE_URL } });
  expect(seeded).toEqual({ exitCode: 0, stdout: "", stderr: "" });
}

/** Puts lines before those that let everyone in. */
async function letIn(...lines: string[]): Promise<void> {
  writeFileSync(
    join(server.data, "pg_hba.conf"),
    [...lines, "host all all 127.0.0.1/32 trust", ""].join("\n"),
  );
  await admin`SELECT pg_reload_conf()`;
}

describe("a PostgreSQL that cannot be used stops the start with one clear line:", () => {
  test("a port on which nothing listens", async () => {
    expect(await complaint(url({ port: 1, user: "me:secret" }))).toBe(
      "animal-store: cannot use PostgreSQL: 127.0.0.1:1 cannot be reached: PostgreSQL must run there, and listen " +
        "on that address and port.\n",
    );
  });

  test("an unknown host", async () => {
    expect(await complaint(url({ host: "no-such-host.invalid", port: 5432 }))).toBe(
      "animal-store: cannot use PostgreSQL: no-such-host.invalid:5432 is not known by that name.\n",
    );
  });

  test("a server that is no PostgreSQL", async () => {
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.end("Hello\r\n"), data() {} },
    });
    try {
      expect(await complaint(url({ port: listener.port }))).toContain("another program listens there");
    } finally {
      listener.stop(true);
    }
  });

  test("a server that accepts the connection and says nothing", async () => {
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    try {
      expect(await complaint(url({ port: listener.port }))).toContain("did not answer within 5000 ms");
    } finally {
      listener.stop(true);
    }
  });

  test("a wrong password, and none", async () => {
    await letIn("host all clerk 127.0.0.1/32 scram-sha-256");
    for (const user of ["clerk:secret", "clerk"]) {
      expect(await complaint(url({ user }))).toContain(
        "refuses the user clerk: the password is wrong, or there is none",
      );
    }
    await letIn();
  });

  test("an unknown user", async () => {
    expect(await complaint(url({ user: "nobody:secret" }))).toContain(
      'refuses the user nobody: role "nobody" does not exist',
    );
  });

  test("a user whom pg_hba.conf refuses", async () => {
    await letIn("host all clerk 127.0.0.1/32 reject");
    expect(await complaint(url({ user: "clerk:secret" }))).toContain(
      "refuses the user clerk: pg_hba.conf rejects connection",
    );
    await letIn();
  });

  test("an unknown database", async () => {
    expect(await complaint(url({ database: "nowhere" }))).toContain(
      "has no database nowhere; create it, for example with createdb",
    );
  });

  test("no right to make the schema", async () => {
    expect(await complaint(url({ user: "clerk" }))).toBe(
      "animal-store: the user clerk may not make the schema animal_store in the database animals: run `animal-store " +
        "migrate` as its owner, or say GRANT CREATE ON DATABASE animals TO clerk.\n",
    );
  });

  test("a database that takes no writes", async () => {
    expect(await complaint(url({ database: "frozen" }))).toContain(
      "takes no writes: its default_transaction_read_only is on",
    );
  });

  test("all connections taken that the database or the user may have, and the limit is named", async () => {
    await admin.unsafe("CREATE DATABASE crowded CONNECTION LIMIT 0");
    await admin.unsafe("ALTER DATABASE crowded OWNER TO clerk");
    await admin.unsafe("CREATE ROLE hermit LOGIN CONNECTION LIMIT 0");
    const refusals = [
      complaint(url({ user: "clerk", database: "crowded" })),
      complaint(url({ user: "hermit" })),
    ];
    expect(await Promise.all(refusals)).toEqual([
      expect.stringContaining(
        "has no connection to spare: raise the CONNECTION LIMIT of the database crowded (ALTER DATABASE), or run fewer clients",
      ),
      expect.stringContaining(
        "has no connection to spare: raise the CONNECTION LIMIT of the user hermit (ALTER ROLE), or run fewer clients",
      ),
    ]);
  });

  test("a schema that a newer version of this program made", async () => {
    await admin.unsafe("CREATE DATABASE newer");
    await use(url({ database: "newer" }));
    await using sql = new SQL({ url: url({ database: "newer" }), max: 1 });
    await sql`INSERT INTO animal_store.migration VALUES (4711)`;
    expect(await complaint(url({ database: "newer" }))).toMatch(
      /the database has schema version 4711; this program knows versions up to \d+\. Start a version/,
    );
  });

  // What the server says of itself is changed on the way: such engines cannot be had here.
  const itself = () =>
    admin`SELECT version() AS version, current_setting('server_version_num') AS number`.then(([row]) => row);

  /** What is said of a server whose answers, or the statements that it gets, have one text in place of another. */
  async function complaintWith(from: string, to: string, passing: "toClient" | "toServer" = "toClient") {
    expect(to.length).toBe(from.length);
    const change = (data: Buffer) => Buffer.from(data.toString("latin1").replaceAll(from, to), "latin1");
    await using proxy = await startProxy(server.port, { [passing]: change });
    return await complaint(url({ port: proxy.port }));
  }

  test("a version that is too old", async () => {
    expect(await complaintWith((await itself()).number, "130004")).toContain(
      "is PostgreSQL 13; PostgreSQL 14 to 18 are supported",
    );
  });

  test("a version that is newer than all that were tried is used, with a warning", async () => {
    const { number } = await itself();
    const replace = (text: string, by: string) => (data: Buffer) =>
      Buffer.from(data.toString("latin1").replaceAll(text, by), "latin1");
    const toClient = replace(number, "990001");
    // An older server lacks this setting of the version that it claims to be; it takes any name with a dot.
    const toServer = replace("transaction_timeout", "of.a_newer_version_");
    await using proxy = await startProxy(server.port, { toClient, toServer });
    using folder = temporaryFolder();
    await using service = await serve({ cwd: folder.path, env: { DATABASE_URL: url({ port: proxy.port }) } });
    await service.says("PostgreSQL 99 is newer than PostgreSQL 18, the newest version that was tested");
  });

  test("but a user with a short timeout for idle transactions, which sessions override, can be used", async () => {
    await admin.unsafe("ALTER ROLE clerk SET idle_in_transaction_session_timeout = 1");
    await admin.unsafe("CREATE DATABASE restless OWNER clerk");
    try {
      await using proxy = await startProxy(server.port, { delayMs: 10 });
      await use(url({ user: "clerk", port: proxy.port, database: "restless" }));
    } finally {
      await admin.unsafe("ALTER ROLE clerk RESET ALL");
    }
  });

  test("another engine with PostgreSQL's protocol, which the message names", async () => {
    const said = {
      "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/05)": "CockroachDB",
      "PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu": "YugabyteDB",
      "PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.77467": "Amazon Redshift",
      "PostgreSQL 12.12 (Greenplum Database 7.1.0 build commit:e7c2b1f)": "Greenplum",
      "PostgreSQL 9.5.0 on x86_64-unknown-linux-gnu (Materialize v0.1)": "Materialize",
    };
    const { version } = await itself();
    await Promise.all(
      Object.entries(said).map(async ([text, name]) => {
        const other = text.slice(0, version.length).padEnd(version.length);
        expect(await complaintWith(version, other)).toContain(
          `is ${name}, which speaks PostgreSQL's protocol and differs in what it promises; use PostgreSQL`,
        );
      }),
    );
  });

  test("an engine without a required function or setting", async () => {
    expect(await complaintWith("pg_advisory_xact_lock", "pg_advisory_xact_none", "toServer")).toContain(
      "lacks what Animal Store needs (pg_catalog.pg_advisory_xact_none(bigint)); use PostgreSQL 14 to 18",
    );
    expect(await complaintWith("session_replication_role", "session_replication_rule", "toServer")).toContain(
      'lacks what Animal Store needs (unrecognized configuration parameter "session_replication_rule"); use',
    );
  });

  test.each([
    ["no right to make the schema", url({ user: "clerk" })],
    ["an unknown database", url({ database: "nowhere" })],
    ["TLS that the server does not offer", url({ query: "sslmode=require" })],
  ])("%s, by the same line of a command that adds animals", async (_, DATABASE_URL) => {
    expect(await complaint(DATABASE_URL, 1, ["seed", "--count", "1"])).toBe(await complaint(DATABASE_URL));
  });

  test("several hosts, each with its own reason", async () => {
    expect(await complaint(`postgres://clerk:secret@127.0.0.1:1,127.0.0.1:${server.port}/nowhere`)).toBe(
      "animal-store: no PostgreSQL that takes writes: 127.0.0.1:1 cannot be reached: PostgreSQL must run there, and " +
        `listen on that address and port; 127.0.0.1:${server.port} has no database nowhere; create it, for example with createdb.\n`,
    );
  });

  test("an unsupported option, as an invalid setting", async () => {
    expect(await complaint(url({ user: "me:secret", query: "sslcrl=a" }), 2)).toContain(
      "must not have the option sslcrl, which is not supported",
    );
  });
});

describe("TLS to PostgreSQL", () => {
  const ca = (name: string) => `sslrootcert=${join(files.path, name)}`;

  test("that the server does not offer is an error if it is required, and not used otherwise", async () => {
    for (const sslmode of ["require", "verify-ca", "verify-full"]) {
      expect(await complaint(url({ query: `sslmode=${sslmode}` }))).toContain(
        "offers no TLS; turn it on there",
      );
    }
    await use(url({ query: "sslmode=prefer" }));
    await use(url());
  });

  /** Has the server present a certificate from its next connection on. */
  async function present({ cert, key }: Certificate): Promise<void> {
    const { uid, gid } = statSync(server.data);
    for (const [name, text] of [
      ["server.crt", cert],
      ["server.key", key],
    ] as const) {
      const file = join(server.data, name);
      writeFileSync(file, text, { mode: 0o600 });
      chownSync(file, uid, gid);
    }
    await admin.unsafe("ALTER SYSTEM SET ssl = on");
    await admin`SELECT pg_reload_conf()`;
  }

  test("is what the mode asks for, and accepts no certificate that the mode forbids", async () => {
    await present(ours);
    // From here on, clients without TLS are refused.
    await letIn("hostnossl animals all 127.0.0.1/32 reject", "host all all ::1/128 trust");
    const name = (query: string, host = "127.0.0.1") => url({ query, host });
    expect(await complaint(name("sslmode=disable"))).toContain("pg_hba.conf rejects connection");
    const taken = [
      "",
      "sslmode=prefer",
      "sslmode=require",
      `sslmode=require&${ca("ours.pem")}`,
      `sslmode=verify-ca&${ca("ours.pem")}`,
      `sslmode=verify-full&${ca("ours.pem")}`,
      `sslmode=verify-full&${ca("ours.pem")}&sslcert=${files.path}/others.pem&sslkey=${files.path}/others.key`,
    ];
    await Promise.all(taken.map((query) => use(name(query))));
    // The certificate is for 127.0.0.1 alone.
    await use(name(`sslmode=verify-ca&${ca("ours.pem")}`, "localhost"));
    expect(await complaint(name(`sslmode=verify-full&${ca("ours.pem")}`, "localhost"))).toContain(
      "has a certificate for another name",
    );
    for (const query of [
      "sslmode=verify-full",
      "sslmode=verify-ca",
      `sslmode=require&${ca("others.pem")}`,
      `sslmode=verify-ca&${ca("others.pem")}`,
      `sslmode=verify-full&${ca("others.pem")}`,
    ]) {
      expect(await complaint(name(query))).toContain("has a certificate that is not trusted");
    }
    expect(await complaint(name(`sslmode=verify-full&${ca("none.pem")}`))).toContain(
      "of the option sslrootcert cannot be read",
    );
    expect(await complaint(name(`sslmode=verify-full&${ca("letter.pem")}`))).toContain(
      "of the option sslrootcert is not in PEM",
    );
  });

  test("with a certificate that has expired, or is not valid yet, is refused with that reason", async () => {
    for (const [certificate, reason] of [
      [expired, "has a certificate that has expired, or whose authority's has; renew it there"],
      [early, "has a certificate that is not valid yet; check the clocks of both machines"],
    ] as const) {
      writeFileSync(join(files.path, "presented.pem"), certificate.cert);
      await present(certificate);
      expect(await complaint(url({ query: `sslmode=verify-full&${ca("presented.pem")}` }))).toContain(reason);
    }
  });
});

test.each([
  ["a table animal", "animal (note text)", 'relation "animal" already exists'],
  ["a table migration", "migration (note text)", 'column "number" does not exist'],
])(
  "a schema of the same name with %s of another program is named and left as it was",
  async (_, table, reason) => {
    using folder = temporaryFolder();
    const own = await server.createDatabase();
    await using sql = new SQL({ url: own, max: 1 });
    await sql.unsafe("CREATE SCHEMA animal_store");
    await sql.unsafe(`CREATE TABLE animal_store.${table}`);
    const start = (command: string) =>
      run(command.split(" "), { cwd: folder.path, env: { DATABASE_URL: own } });
    for (const command of ["migrate", "serve --port 0", "seed --count 1"]) {
      expect(await start(command)).toEqual({
        exitCode: 1,
        stdout: "",
        stderr:
          "animal-store: the schema animal_store of the database has something in it that Animal Store has not made " +
          `(${reason}). Nothing was changed. Name another database, or rename that schema.\n`,
      });
    }
    await sql.unsafe("DROP SCHEMA animal_store CASCADE");
    expect(await start("migrate")).toMatchObject({ exitCode: 0 });
  },
);
