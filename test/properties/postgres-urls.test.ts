import { describe, expect, test } from "bun:test";
import {
  assert,
  constantFrom,
  integer,
  option,
  property,
  record,
  string,
  tuple,
  uniqueArray,
} from "fast-check";
import { type PostgresUrl, readPostgresUrl } from "../../src/stores/postgres/connect/url.ts";

function read(url: string): PostgresUrl {
  const result = readPostgresUrl(url);
  if (!("hosts" in result)) throw new Error(`${url}: ${result}`);
  return result;
}

function mistakes(url: string): readonly string[] {
  const result = readPostgresUrl(url);
  return "hosts" in result ? [] : result;
}

describe("a PostgreSQL URL", () => {
  test.each<[string, Partial<PostgresUrl>]>([
    ["postgres://me@db/animals", { hosts: [{ name: "db", port: 5432 }], user: "me", password: undefined }],
    [
      "postgresql://me:it@db:1/animals",
      { hosts: [{ name: "db", port: 1 }], password: "it", database: "animals" },
    ],
    ["postgres://me:a:b@db/x", { password: "a:b" }],
    [
      "postgres://me@one:1,two,10.0.0.3:3/x",
      {
        hosts: [
          { name: "one", port: 1 },
          { name: "two", port: 5432 },
          { name: "10.0.0.3", port: 3 },
        ],
      },
    ],
    [
      "postgres://me@[::1]:5433,[2001:db8::2]/x",
      {
        hosts: [
          { name: "::1", port: 5433 },
          { name: "2001:db8::2", port: 5432 },
        ],
      },
    ],
    ["postgres://me@%2Fvar%2Frun/x", { hosts: [{ name: "/var/run", port: 5432 }] }],
    [
      "postgres:///x?host=/run/a,two&port=7&user=me&password=p%26q",
      {
        hosts: [
          { name: "/run/a", port: 7 },
          { name: "two", port: 7 },
        ],
        user: "me",
        password: "p&q",
      },
    ],
    ["postgres://me@db?dbname=x", { database: "x" }],
  ])("%s is read as libpq reads it", (url, expected) => {
    expect(read(url)).toMatchObject(expected);
  });

  test("names each server once, however often it says its name", () => {
    expect(read("postgres://me@db,other,db:5432/x").hosts).toEqual([
      { name: "db", port: 5432 },
      { name: "other", port: 5432 },
    ]);
  });

  test("gives back whatever was percent-encoded into it", () => {
    const text = string({ minLength: 1, unit: "grapheme" }).filter((text) => !text.includes("\0"));
    const name = constantFrom("db", "db-1.example.com", "10.1.2.3", "[::1]", "[fe80::1%25eth0]");
    const host = tuple(name, option(integer({ min: 1, max: 65535 })));
    const parts = record({
      user: text,
      password: option(text),
      database: text,
      application: text,
      hosts: uniqueArray(host, { minLength: 1, selector: ([name, port]) => `${name} ${port ?? 5432}` }),
    });
    assert(
      property(parts, ({ user, password, database, application, hosts }) => {
        const secret = password === null ? "" : `:${encodeURIComponent(password)}`;
        const list = hosts.map(([name, port]) => (port === null ? name : `${name}:${port}`)).join(",");
        const url =
          `postgres://${encodeURIComponent(user)}${secret}@${list}/${encodeURIComponent(database)}` +
          `?application_name=${encodeURIComponent(application)}`;
        const result = read(url);
        expect(result).toMatchObject({ user, password: password ?? undefined, database });
        expect(result.options.applicationName).toBe(application);
        expect(result.hosts).toEqual(
          hosts.map(([name, port]) => ({
            name: decodeURIComponent(name.replace(/[[\]]/g, "")),
            port: port ?? 5432,
          })),
        );
      }),
    );
  });

  test("is read or refused, whatever it is", () => {
    assert(
      property(string({ unit: "binary" }), (rest) => {
        const result = readPostgresUrl(`postgres://${rest}`);
        expect("hosts" in result ? result.hosts.length : result.length).toBeGreaterThan(0);
      }),
    );
  });

  test.each([
    ["postgres://db/x", "must name a user"],
    ["postgres://me@db", "must name a database"],
    ["postgres://me@db/", "must name a database"],
    ["postgres://me@/x", "must name its hosts"],
    ["postgres://me@a,,b/x", "must name its hosts"],
    ["postgres://me@a:0/x", "must name its hosts"],
    ["postgres://me@a:65536/x", "must name its hosts"],
    ["postgres://me@a:b/x", "must name its hosts"],
    ["postgres://me@::1/x", "must name its hosts"],
    ["postgres:///x?host=a,b,c&port=1,2&user=me", "must name its hosts"],
    ["postgres://me:%zz@a/x", "two hex digits"],
    ["postgres://me:%ff@a/x", "two hex digits"],
    ["postgres://me@a/x%00", "two hex digits"],
    ["postgres://me:a@b@c/x", "must look like"],
    ["postgres://me@a/x/y", "must look like"],
    ["postgres://me@a/x?sslmode=require#top", "must look like"],
    ["postgres://me@a/x?user=you", "must not have the option user as well as the same in its address"],
    ["postgres://me@a/x?sslmode=require&sslmode=disable", "must give the option sslmode once"],
    ["postgres://me@a/x?sslmode", "must give the option sslmode once"],
  ])("%s is refused", (url, reason) => {
    expect(mistakes(url).join("\n")).toContain(reason);
  });
});

describe("the options of a PostgreSQL URL", () => {
  const optionsOf = (query: string) => read(`postgres://me@db/x?${query}`).options;

  test.each(["disable", "prefer", "require", "verify-ca", "verify-full"] as const)("sslmode=%s", (mode) => {
    expect(optionsOf(`sslmode=${mode}`).sslMode).toBe(mode);
  });

  test("without an sslmode TLS is used where the server has it, as by libpq", () => {
    expect(optionsOf("").sslMode).toBe("prefer");
  });

  test("a named certificate authority is used, as by libpq", () => {
    expect(optionsOf("sslmode=require&sslrootcert=ca.pem")).toMatchObject({
      sslMode: "verify-ca",
      sslRootCert: "ca.pem",
    });
  });

  test("a server is waited for no longer than requests can wait", () => {
    expect(optionsOf("connect_timeout=10").connectTimeoutMs).toBe(1000);
    expect(optionsOf("connect_timeout=0").connectTimeoutMs).toBe(1000);
    expect(optionsOf("statement_timeout=2500").statementTimeoutMs).toBe(2500);
    expect(optionsOf("statement_timeout=2500").connectTimeoutMs).toBe(2500);
    expect(optionsOf("statement_timeout=2500&connect_timeout=1").connectTimeoutMs).toBe(1000);
  });

  test.each([
    "target_session_attrs=read-write",
    "target_session_attrs=primary",
    "gssencmode=disable",
    "load_balance_hosts=disable",
    "sslnegotiation=postgres",
    "channel_binding=prefer",
    "client_encoding=UTF8",
  ])("%s is accepted, since it changes nothing", (option) => {
    expect(mistakes(`postgres://me@db/x?${option}`)).toEqual([]);
  });

  test.each([
    "sslmode=allow",
    "sslmode=Require",
    "ssl=maybe",
    "sslcrl=a",
    "sslcert=a&sslmode=require",
    "sslrootcert=a",
    "sslrootcert=a&sslmode=prefer",
    "target_session_attrs=any",
    "target_session_attrs=standby",
    "load_balance_hosts=random",
    "gssencmode=require",
    "keepalives=1",
    "tcp_user_timeout=1",
    "passfile=a",
    "service=a",
    "hostaddr=1.2.3.4",
    "require_auth=scram-sha-256",
    "connect_timeout=soon",
    "statement_timeout=99",
    "statement_timeout=8001",
    "statement_timeout=1s",
    "channel_binding=yes",
    "sslmod=require",
  ])("%s is refused by name", (option) => {
    const [name = ""] = /^\w+/.exec(option) ?? [];
    const told = mistakes(`postgres://me@db/x?${option}`);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(name);
  });

  test.each(["constructor=1", "__proto__=1", "hunter2@db/x=1"])(
    "%s is refused without being shown",
    (option) => {
      expect(mistakes(`postgres://me@db/x?${option}`)).toEqual([
        "must not have an unknown option; write a ? within a password as %3F, and an & as %26",
      ]);
    },
  );

  test("all mistakes are reported at once, with suggestions for near misses", () => {
    expect(mistakes("postgres://db/?sslmod=x&sslcrl=y")).toEqual([
      "must name a user before an @, as in postgres://user@host/database",
      "must name a database after a /, as in postgres://user@host/database",
      "must not have an unknown option; sslmode is a known one",
      "must not have the option sslcrl, which is not supported: revocation lists are not checked",
    ]);
  });
});
