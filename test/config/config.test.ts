import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { envExample } from "../../scripts/env-example.ts";
import { settingsPage } from "../../scripts/settings-page.ts";
import { ConfigErrors, readConfig } from "../../src/config/read.ts";
import { flagOf, SETTING_NAMES, SETTINGS, type SettingName } from "../../src/config/settings.ts";
import { temporaryFolder } from "../support/folder.ts";
import { run } from "../support/program.ts";

/** For every setting, texts with what each is read as, and texts that it cannot be. */
const VALUES: { readonly [Name in SettingName]: { right: [string, unknown][]; wrong: string[] } } = {
  HOST: {
    right: ["127.0.0.1", "0.0.0.0", "::1", "::", "localhost", "animals.example.com"].map(asWritten),
    wrong: ["a b", "http://localhost", "localhost/", "[::1]", "127.0.0.1\n", "höst"],
  },
  PORT: {
    right: [
      ["0", 0],
      ["8080", 8080],
      ["65535", 65535],
    ],
    wrong: ["65536", "-1", "+80", "80.0", "8e1", "0x50", "http", " 80", "80 ", "99999999999"],
  },
  DATABASE_URL: {
    right: [
      "sqlite:./data/animal-store.db",
      "sqlite:/var/lib/animal-store.db",
      "sqlite:store.db",
      "sqlite:../a b/ü.db",
      "postgres://user@localhost:5432/animals",
      "postgresql://user:secret@db.example.com/animals",
      "postgres://user@one:5432,two:5433/animals?sslmode=verify-full",
    ].map(asWritten),
    wrong: [
      "store.db",
      "sqlite:",
      "sqlite::memory:",
      "sqlite://host/store.db",
      "sqlite:./folder/",
      "sqlite:./a.db?mode=ro",
      "sqlite:./a.db#x",
      "mysql://host/store",
      "postgres://host",
      "postgres://user@host/animals?sslmode=some",
      "postgres://user@host/animals?sslmoed=require",
    ],
  },
  READ_STANDBYS: {
    right: [
      ["true", true],
      ["false", false],
    ],
    wrong: ["yes", "on", "TRUE"],
  },
  ENVIRONMENT: { right: ["production", "staging"].map(asWritten), wrong: ["Production", "test", "prod"] },
  STABILITY: { right: ["stable", "beta", "experimental"].map(asWritten), wrong: ["Stable", "alpha"] },
  FIRST_KEY: {
    right: ["print", "none", "./first-key", "/run/secrets/first key", "keys/none"].map(asWritten),
    wrong: ["first-key", "Print", "no", "./keys/", '"./first-key"', "'/run/key'"],
  },
  PRODUCTION_URL: addresses(),
  STAGING_URL: addresses(),
  LOG_LEVEL: {
    right: ["silent", "fatal", "error", "warn", "info", "debug", "trace"].map(asWritten),
    wrong: ["INFO", "verbose", "30"],
  },
  SHUTDOWN_SECONDS: {
    right: [
      ["0", 0],
      ["10", 10],
      ["3600", 3600],
    ],
    wrong: ["3601", "-1", "1.5", "10s"],
  },
  CORS_ORIGINS: {
    right: [
      ["*", "*"],
      ["https://shop.example.com", ["https://shop.example.com"]],
      ["https://a.example, http://localhost:3000", ["https://a.example", "http://localhost:3000"]],
    ],
    wrong: [
      "shop.example.com",
      "https://shop.example.com/",
      "https://a.example,",
      "*,https://a.example",
      "null",
    ],
  },
  RATE_LIMIT: {
    right: [
      ["100/s", { quota: 100, windowSeconds: 1 }],
      ["1/m", { quota: 1, windowSeconds: 60 }],
      ["5000/h", { quota: 5000, windowSeconds: 3600 }],
    ],
    wrong: ["100", "0/s", "-1/s", "1.5/s", "100/d", "100 / s", "/s"],
  },
  WORKERS: {
    right: [
      ["auto", "auto"],
      ["1", 1],
      ["64", 64],
    ],
    wrong: ["0", "65", "-1", "1.5", "Auto", "two"],
  },
  BACKUP_EVERY: {
    right: [
      ["15m", 900_000],
      ["1h", 3_600_000],
      ["1w", 604_800_000],
      ["24d", 2_073_600_000],
    ],
    wrong: ["1", "0h", "-1h", "1.5h", "1 h", "4w", "25d", "hourly"],
  },
  BACKUP_DIR: { right: [asWritten("./backups")], wrong: [] },
  BACKUP_KEEP: {
    right: [
      ["1", 1],
      ["365", 365],
    ],
    wrong: ["0", "-1", "1.5", "all"],
  },
  TLS_CERT: { right: [asWritten("./cert.pem")], wrong: [] },
  TLS_KEY: { right: [asWritten("/etc/key.pem")], wrong: [] },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    right: ["http://127.0.0.1:4318", "https://collector.example/otlp"].map(asWritten),
    wrong: ["127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://a?b=c", ""],
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    right: [
      ["api-key=abc", { "api-key": "abc" }],
      ["authorization=Basic%20YTpi, x=1=2", { authorization: "Basic YTpi", x: "1=2" }],
    ],
    wrong: ["api-key", "=abc", "a b=c", "a=b,", "a=%zz", ""],
  },
  OTEL_SERVICE_NAME: { right: ["animal-store", "shop 1"].map(asWritten), wrong: ["", " "] },
  OTEL_TRACES_SAMPLER: {
    right: ["always_on", "traceidratio", "parentbased_traceidratio"].map(asWritten),
    wrong: ["jaeger_remote", "always", ""],
  },
  OTEL_TRACES_SAMPLER_ARG: {
    right: [
      ["0", 0],
      ["1", 1],
      ["0.01", 0.01],
      [".5", 0.5],
    ],
    wrong: ["2", "1.5", "-0.1", "1%", "1e-2", ""],
  },
  METRICS_PORT: {
    right: [
      ["0", 0],
      ["9464", 9464],
    ],
    wrong: ["-1", "65536", "true", ""],
  },
  METRICS_HOST: {
    right: ["127.0.0.1", "0.0.0.0", "::1"].map(asWritten),
    wrong: ["a b", "http://localhost", ""],
  },
  LOG_FORMAT: {
    right: [
      ["auto", "auto"],
      ["json", "json"],
      ["pretty", "pretty"],
    ],
    wrong: ["", "text", "JSON"],
  },
  LOG_REQUESTS: {
    right: [
      ["auto", "auto"],
      ["true", true],
      ["false", false],
    ],
    wrong: ["", "yes", "1", "TRUE", "Auto"],
  },
  MAX_REQUESTS: {
    right: [
      ["1", 1],
      ["12000", 12_000],
      ["1000000", 1_000_000],
    ],
    wrong: ["0", "1000001", "1e3", "many", ""],
  },
  MAX_STREAMS: {
    right: [
      ["0", 0],
      ["10000", 10_000],
      ["1000000", 1_000_000],
    ],
    wrong: ["-1", "1000001", "1e3", "many", ""],
  },
  EVENTS_KEEP: {
    right: [
      ["60s", 60_000],
      ["12h", 43_200_000],
      ["7d", 604_800_000],
      ["3650d", 315_360_000_000],
    ],
    wrong: ["59s", "3651d", "7", "0d", "forever", "-1d", ""],
  },
  KEEP_ALIVE_SECONDS: {
    right: [
      ["12", 12],
      ["75", 75],
      ["240", 240],
    ],
    wrong: ["0", "11", "241", "75s", "-1", ""],
  },
  HSTS_SECONDS: {
    right: [
      ["0", 0],
      ["63072000", 63_072_000],
    ],
    wrong: ["-1", "1y", "1000000000", ""],
  },
  TRUST_PROXY: {
    right: [
      ["true", true],
      ["false", false],
    ],
    wrong: ["yes", "1", "True", "*"],
  },
};

function asWritten(text: string): [string, string] {
  return [text, text];
}

function addresses(): { right: [string, string][]; wrong: string[] } {
  return {
    right: [
      asWritten("https://animals.example.com/v1"),
      asWritten("http://localhost:8080/shop/v1"),
      ["HTTPS://Animals.Example.com/v1?", "https://animals.example.com/v1"],
    ],
    wrong: [
      "animals.example.com/v1",
      "https://animals.example.com",
      "https://animals.example.com/v1/",
      "https://animals.example.com/v2",
      "https://animals.example.com/v1?a=b",
      "https://animals.example.com/v1#a",
      "https://user:secret@animals.example.com/v1",
      "ftp://animals.example.com/v1",
    ],
  };
}

/** What goes with a setting so that it is right by itself. */
function companion(name: SettingName): Record<string, string> {
  const companions: Partial<Record<SettingName, Record<string, string>>> = {
    TLS_CERT: { TLS_KEY: "k.pem" },
    TLS_KEY: { TLS_CERT: "c.pem" },
    BACKUP_EVERY: { BACKUP_DIR: "./backups" },
    BACKUP_DIR: { BACKUP_EVERY: "1h" },
    HSTS_SECONDS: { TRUST_PROXY: "true" },
    READ_STANDBYS: { DATABASE_URL: "postgres://user@one,two/animals" },
  };
  return companions[name] ?? {};
}

function mistakesOf(environment: Record<string, string>, dotEnv = "", flags = {}): string[] {
  try {
    readConfig(flags, environment, dotEnv);
  } catch (error) {
    if (error instanceof ConfigErrors) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe.each(SETTING_NAMES)("%s", (name) => {
  const { right, wrong } = VALUES[name];

  test.each(right)("may be %j", (text, value) => {
    expect(readConfig({}, { [name]: text, ...companion(name) }, "").config[name]).toEqual(value as never);
  });

  test.each([...wrong, ""])("may not be %j", (text) => {
    const mistakes = mistakesOf({ [name]: text, ...companion(name) });
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toStartWith(
      text === "" ? `${name} is empty; it must be ` : `${name} cannot be read; it must `,
    );
    expect(mistakes[0]).toContain("; it must ");
  });

  test("is taken from a flag, else the environment, else .env, else its default", () => {
    const standard = SETTINGS[name].default;
    const [text = ""] = right[0] ?? [];
    const given = { [name]: text };
    const others = companion(name);
    const line = `${name}=${text}`;
    const source = (flags: object, environment: object, dotEnv: string) =>
      readConfig({ ...flags }, { ...others, ...environment }, dotEnv).sources[name];
    expect(source(given, { [name]: "wrong, but not looked at" }, line)).toBe("flag");
    expect(source({}, given, `${name}='wrong, but not looked at'`)).toBe("environment");
    expect(source({}, {}, line)).toBe(".env");
    const { config, sources, texts } = readConfig({}, {}, "");
    expect(sources[name]).toBe("default");
    expect(texts[name]).toBe(standard);
    expect(config[name]).toEqual(
      (standard === undefined ? undefined : SETTINGS[name].read(standard)) as never,
    );
  });
});

test("a setting takes the value of its first source", () => {
  expect(readConfig({ PORT: "1" }, { PORT: "2" }, "PORT=3").config.PORT).toBe(1);
  expect(readConfig({}, { PORT: "2" }, "PORT=3").config.PORT).toBe(2);
  expect(readConfig({}, {}, "PORT=3").config.PORT).toBe(3);
});

describe("mistakes in settings", () => {
  test("are all reported at once, with what would be right", () => {
    expect(
      mistakesOf({ PORT: "x", HOST: "" }, "STABILITY=alpha\nLog_Level=info\nTRUST_PROXI=true", {
        ENVIRONMENT: "test",
      }),
    ).toEqual([
      "Log_Level in .env is not a setting; did you mean LOG_LEVEL?",
      "TRUST_PROXI in .env is not a setting; did you mean TRUST_PROXY?",
      "HOST is empty; it must be a host name or an IP address, such as 127.0.0.1, or be left out.",
      "PORT cannot be read; it must be a whole number from 0 to 65535.",
      "--environment cannot be read; it must be one of production, staging.",
      "STABILITY cannot be read; it must be one of stable, beta, experimental.",
    ]);
  });

  test.each(["sqlite:store.db", "postgres://me@db1/x", "postgres://me@db1,db1:5432/x"])(
    "READ_STANDBYS is refused where DATABASE_URL names one server: %s",
    (url) => {
      expect(mistakesOf({ READ_STANDBYS: "true", DATABASE_URL: url })).toEqual([
        expect.stringContaining("READ_STANDBYS needs a DATABASE_URL that names the primary and its standbys"),
      ]);
    },
  );

  test.each([
    ["TLS_CERT", "TLS_KEY"],
    ["TLS_KEY", "TLS_CERT"],
  ])("%s without %s is one", (given, missing) => {
    expect(mistakesOf({ [given]: "a.pem" })).toEqual([
      `${missing} is not set; TLS_CERT and TLS_KEY must be set together.`,
    ]);
  });

  test("scheduled backups without a place to go, or without a time, or of a PostgreSQL", () => {
    expect(mistakesOf({ BACKUP_EVERY: "1h" })).toEqual([
      "BACKUP_DIR is not set; BACKUP_EVERY and BACKUP_DIR must be set together.",
    ]);
    expect(mistakesOf({ BACKUP_DIR: "./backups" })).toEqual([
      "BACKUP_EVERY is not set; BACKUP_EVERY and BACKUP_DIR must be set together.",
    ]);
    const DATABASE_URL = "postgres://me@host/shop";
    expect(mistakesOf({ DATABASE_URL, BACKUP_EVERY: "1h", BACKUP_DIR: "./backups" })).toEqual([
      "BACKUP_EVERY is for SQLite files; leave it out, and back PostgreSQL up with its own tools, such as pg_dump.",
    ]);
  });

  test.each(SETTING_NAMES)("never show a secret that is %s by mistake", (name) => {
    const given = { [name]: "hunter2 hunter2\0", ...companion(name) };
    expect(mistakesOf(given).join("\n")).not.toContain("hunter2");
  });

  test.each([
    "postgres://u:hun?hunter2@db/animals",
    "postgres://u:hun?hunter2=1@db/animals",
    "postgres://u@db/animals?sslsni=hunter2",
    "postgres://u@db/animals?sslmode=hunter2",
    "postgres://u@db/animals?password=hunter2&password=hunter2",
    "postgres://u:hunter2/hunter2@db/animals",
    "postgres://u:hunter2#@db/animals",
    "postgres://u:hunter2@hunter2@db/animals",
    "postgres://u:%zzhunter2@db/animals",
    "postgres:u:hunter2@db/animals",
    "postgres:/u:hunter2@db/animals",
    "postgre://u:hunter2@db/animals",
    "u:hunter2@db/animals",
    "host=db user=u password=hunter2 dbname=animals",
    "jdbc:postgresql://db/animals?user=u&password=hunter2",
  ])("never show a password: %s", (url) => {
    const mistakes = mistakesOf({ DATABASE_URL: url });
    expect(mistakes.join("\n")).toStartWith("DATABASE_URL cannot be read; it must ");
    expect(mistakes.join("\n")).not.toContain("hunter2");
  });

  test("say how the form of libpq is written as a URL", () => {
    expect(mistakesOf({ DATABASE_URL: "host=db1 user=me password=word" })).toEqual([
      "DATABASE_URL cannot be read; it must be a URL: what libpq takes as host=db1 port=5432 dbname=animals user=me " +
        "password=word is postgres://me:word@db1:5432/animals here.",
    ]);
  });

  test("end every command that has the setting, with exit code 2 and a line each", async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, ".env"), "PORT=http\nDATABSE_URL=sqlite:./a.db\n");
    for (const command of [["serve"], ["config"], ["openapi"], ["keys", "list"]]) {
      expect(await run(command, { cwd: folder.path, env: { LOGLEVEL: "info" } })).toEqual({
        exitCode: 2,
        stdout: "",
        stderr:
          "animal-store: DATABSE_URL in .env is not a setting; did you mean DATABASE_URL?\n" +
          "animal-store: PORT cannot be read; it must be a whole number from 0 to 65535.\n",
      });
    }
  });
});

test.each([
  ["with a byte order mark", Buffer.from("\ufeffPORT=1234\n"), 0, "1234"],
  ["in UTF-16", Buffer.from("\ufeffPORT=1234\n", "utf16le"), 2, ".env is not UTF-8"],
])("an .env %s is read or refused, never ignored", async (_, bytes, exitCode, text) => {
  using folder = temporaryFolder();
  await Bun.write(join(folder.path, ".env"), bytes);
  const outcome = await run(["config"], { cwd: folder.path });
  expect(outcome.exitCode).toBe(exitCode);
  expect(outcome.stdout + outcome.stderr).toContain(text);
});

describe("a name in the environment or in .env", () => {
  test.each([
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABASEURL", "DATABASE_URL"],
    ["database_url", "DATABASE_URL"],
    ["Port", "PORT"],
    ["PROT", "PORT"],
    ["host", "HOST"],
    ["HSOT", "HOST"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["LOG-LEVEL", "LOG_LEVEL"],
    ["ENVIROMENT", "ENVIRONMENT"],
    ["FIRSTKEY", "FIRST_KEY"],
    ["STABILTY", "STABILITY"],
    ["SHUTDOWN_SECOND", "SHUTDOWN_SECONDS"],
    ["CORS_ORIGIN", "CORS_ORIGINS"],
  ])("%s is reported as a misspelled %s", (given, meant) => {
    // In the environment it may be another program's: it is told of, and stops nothing.
    expect(readConfig({}, { [given]: "x" }, "").warnings).toEqual([
      `${given} in the environment is not a setting; did you mean ${meant}?`,
    ]);
    expect(mistakesOf({}, `${given}=x`)).toEqual([
      `${given} in .env is not a setting; did you mean ${meant}?`,
    ]);
  });

  // What shells, schedulers, containers and other programs set.
  test.each(
    `HOME HOSTNAME HOSTTYPE PATH PWD SHELL USER LOGNAME TERM LANG SSH_TTY HOSTS VHOST GHOST LHOST POST
     POSTGRES_PORT POSTGRES_HOST POSTGRES_URL REDIS_URL DB_URL BASE_URL URL PORTS PORT0 PORT1 PORT_8080
     KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT HTTP_PORT HTTP_PROXY NO_PROXY SSL_CERT_FILE
     NODE_ENV ENV LEVEL LOGS LOG_FILE DATABASE DATABASE_URL_2 KEY API_KEY npm_lifecycle_event npm_config_cache
     INIT_CWD CI _`.split(/\s+/),
  )("%s belongs to another program and is ignored", (name) => {
    expect(mistakesOf({ [name]: "x" }, `${name}=x`)).toEqual([]);
    expect(readConfig({}, { [name]: "x" }, "").warnings).toEqual([]);
  });
});

describe(".env", () => {
  test.each([
    ["HOST=10.0.0.1", "as it is"],
    ["HOST=10.0.0.1 # the inner one", "with a comment after it"],
    ["  HOST = 10.0.0.1  ", "with spaces around it"],
    ['HOST="10.0.0.1"', "in double quotes"],
    ["HOST='10.0.0.1' # quoted", "in single quotes, with a comment"],
    ["export HOST=10.0.0.1", "as a shell would have it"],
    ["\uFEFFHOST=10.0.0.1\r\nPORT=1\r\n", "from an editor that writes a byte order mark and CRLF"],
    ['HOST="10.0.0.1"#quoted', "in quotes, with a comment right after them"],
    ["HOST=10.0.0.1\nTHEIRS=a#b\nTHEIRS='c'd", "beside variables that other programs read in their own way"],
  ])("%j: %s", (dotEnv) => {
    expect(readConfig({}, {}, dotEnv).config.HOST).toBe("10.0.0.1");
  });

  test("keeps quoted values unchanged", () => {
    expect(readConfig({}, {}, "FIRST_KEY='./a # b'").config.FIRST_KEY).toBe("./a # b");
  });

  test("may be empty, and may have comments and variables of other programs", () => {
    const theirs = '\n# PORT 80\n#HOST=x\nPGHOST=db\nMULTI=\'one\nline more\'\nOTHER="a \\" b\n"\n';
    expect(readConfig({}, {}, theirs).config).toEqual(readConfig({}, {}, "").config);
  });

  test.each(["PORT 80", "  export PORT", "PORT\r"])("a setting without a value is a mistake: %j", (line) => {
    expect(mistakesOf({}, `HOST=::1\n${line}`)).toEqual([
      "PORT in line 2 of .env has no value; write PORT=… or leave the line out.",
    ]);
  });

  test.each<[string, string]>([
    ["DATABASE URL=sqlite:./s.db", "Line 2 of .env is not NAME=value;"],
    ["=8080", "Line 2 of .env is not NAME=value;"],
    ["some words", "Line 2 of .env is not NAME=value;"],
    ["- NAME=x", "Line 2 of .env is not NAME=value;"],
    ["HÖST=x", "Line 2 of .env is not NAME=value;"],
    ["NAME='x", "The quote in line 2 of .env is never closed; close it with '."],
    ['NAME="x\\"\nOTHER=1', 'The quote in line 2 of .env is never closed; close it with ".'],
  ])("a malformed line is a mistake that names the line: %j", (line, says) => {
    const mistakes = mistakesOf({}, `# one\n${line}\nPORT=80`);
    expect(mistakes).toEqual([expect.stringContaining(says)]);
    expect(mistakes.join()).not.toContain("x");
  });

  test.each([
    "DATABASE_URL=sqlite:./store#1.db",
    "DATABASE_URL=postgres://user:pass#word@host/store",
    'DATABASE_URL="sqlite:./store" 1.db',
    "DATABASE_URL='sqlite:./store'.db",
  ])("a value of which only a part would be read is a mistake: %j", (line) => {
    const mistakes = mistakesOf({}, `# one\n${line}\nPORT=80`);
    expect(mistakes[0]).toStartWith(
      "Only a part of DATABASE_URL in line 2 of .env would be read; put the whole value in quotes",
    );
  });

  test("a setting that stands there twice is a mistake that names both lines", () => {
    expect(mistakesOf({}, "PORT=1\n# two\nexport PORT='2'")).toEqual([
      "PORT stands in lines 1 and 3 of .env; leave one of them.",
    ]);
  });

  test("a named pipe in its place is refused instead of waited for", async () => {
    using folder = temporaryFolder();
    expect(Bun.spawnSync(["mkfifo", join(folder.path, ".env")]).exitCode).toBe(0);
    expect(await run(["config"], { cwd: folder.path })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "animal-store: .env cannot be read: it is a named pipe, which can be read only once; make it a file\n",
    });
  });

  test("is read from the current folder, and stops the start if it cannot be read", async () => {
    using folder = temporaryFolder();
    const source = async () => {
      const { stdout } = await run(["config", "--json"], { cwd: folder.path });
      return (JSON.parse(stdout) as { name: string }[]).find(({ name }) => name === "PORT");
    };
    expect(await source()).toEqual({ name: "PORT", value: "8080", source: "default" } as never);
    await Bun.write(join(folder.path, ".env"), "PORT=81");
    expect(await source()).toEqual({ name: "PORT", value: "81", source: ".env" } as never);

    using other = temporaryFolder();
    await Bun.write(join(other.path, ".env/a"), "");
    const { exitCode, stderr } = await run(["config"], { cwd: other.path });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^animal-store: \.env cannot be read: .*\n$/);
  });
});

describe(".env.example", () => {
  const lines = envExample().split("\n");

  test("is generated from the settings (`npm run generate` writes it)", async () => {
    expect(await Bun.file(join(import.meta.dir, "../../.env.example")).text()).toBe(envExample());
  });

  test("has every setting with its default, and a line of help before it", () => {
    for (const name of SETTING_NAMES) {
      const at = lines.indexOf(`#${name}=${SETTINGS[name].default ?? ""}`);
      expect(lines[at - 1]).toBe(`# ${SETTINGS[name].description}`);
    }
  });

  test("changes nothing when it is copied", () => {
    const { config, sources } = readConfig({}, {}, envExample());
    expect(config).toEqual(readConfig({}, {}, "").config);
    expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
  });

  test("gives each setting its default when the # before it is removed", () => {
    for (const name of SETTING_NAMES.filter((name) => SETTINGS[name].default !== undefined)) {
      const { config, sources } = readConfig({}, {}, envExample().replace(`#${name}=`, `${name}=`));
      expect(sources[name]).toBe(".env");
      expect(config).toEqual(readConfig({}, {}, "").config);
    }
  });
});

test("docs/settings.md is generated from the settings (`npm run generate` writes it)", async () => {
  const page = settingsPage();
  expect(await Bun.file(join(import.meta.dir, "../../docs/settings.md")).text()).toBe(page);
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => /`(\w+)`/.exec(row)?.[1])).toEqual(SETTING_NAMES);
  for (const row of rows) expect(row.split(/(?<!\\)\|/)).toHaveLength(6);
});

test("every setting is a flag of `serve`, with its help", async () => {
  using folder = temporaryFolder();
  const { stdout } = await run(["serve", "--help"], { cwd: folder.path });
  const words = stdout.replace(/\s+/g, " ");
  for (const name of SETTING_NAMES) {
    const { argument, description, default: standard } = SETTINGS[name];
    const otherwise = standard === undefined ? "" : `, default ${standard}`;
    expect(words).toContain(`--${flagOf(name)} <${argument}> ${description} (${name}${otherwise})`);
  }
});

test("every setting is read outside src/config", () => {
  const folder = join(import.meta.dir, "../../src");
  const files = [...new Bun.Glob("**/*.ts").scanSync(folder)].filter((file) => !file.startsWith("config/"));
  const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  // As `config.PORT` or `{ PORT }`, not as a word of a comment or a message.
  const unread = SETTING_NAMES.filter((name) => !new RegExp(`(?:\\w\\.|[{,]\\s*)${name}\\b`).test(text));
  expect(unread).toEqual([]);
});
