/** Tests that are no part of `npm test`: those below `suites/NAME`, which `npm test -- NAME` runs. */
export interface Suite {
  readonly name: string;
  /** What it tests beyond `npm test`, for people. */
  readonly shows: string;
  /** The Debian packages that it needs besides npm's: `.ci/run` installs them. */
  readonly packages: readonly string[];
  /** The command that starts the runner, for a suite that needs namespaces of its own. */
  readonly within?: string;
  /** Whether `.ci/run` runs a share of its files each day: none of them has shares of its own, which would never all run. */
  readonly rotates?: true;
  /** Whether its files run several at once, as those of `npm test` do: they wait for much of their time. */
  readonly waits?: true;
}

export const SUITES: readonly Suite[] = [
  {
    name: "fresh-machine",
    shows:
      "README's commands as they stand, in a Debian with Node and npm and nothing else; as another user; with musl and BusyBox",
    packages: ["git", "mmdebstrap", "python3-venv"],
    waits: true,
  },
  {
    name: "packages",
    shows:
      "what a release makes installs, runs and leaves again on machines with nothing else, for users who may write nothing",
    packages: [
      "buildah",
      "git",
      "lintian",
      "mmdebstrap",
      "podman",
      "python3-venv",
      "runc",
      "systemd-container",
    ],
  },
  {
    name: "generators",
    shows:
      "clients that public generators make in Go, Java, Kotlin, PHP, Python, Ruby, Rust and TypeScript work",
    packages: [
      "default-jdk-headless",
      "maven",
      "php-cli",
      "php-curl",
      "php-guzzlehttp-guzzle",
      "php-mbstring",
      "python3",
      "python3-venv",
      "ruby",
      "ruby-typhoeus",
    ],
  },
  {
    name: "clients",
    shows:
      "the examples in five languages, also as their pages say in a fresh clone, the helpers for pytest, go test, Vitest, Jest and node:test, the collections for Bruno and Postman, Schemathesis, Prism, the official MCP clients and inspector, and our client's package in each Node, Deno, Chromium and bundled, against a service",
    packages: [
      "curl",
      "default-jdk-headless",
      "git",
      "golang-1.19-go",
      "libmono-system-net-http4.0-cil",
      "libnewtonsoft-json5.0-cil",
      "maven",
      "mono-mcs",
      "mono-runtime",
      "php-cli",
      "php-curl",
      "python3",
      "python3-venv",
      "ruby",
    ],
    rotates: true,
  },
  {
    name: "pages",
    shows:
      "axe and Lighthouse find each page accessible and well made, in Firefox too nothing is torn or too wide; the samples in JavaScript, curl, Python, Go, Java, PHP, Ruby and C# work",
    packages: [
      "chromium",
      "curl",
      "default-jdk-headless",
      "firefox-esr",
      "golang-1.19-go",
      "libmono-system-net-http4.0-cil",
      "mono-mcs",
      "mono-runtime",
      "php-cli",
      "python3",
      "ruby",
    ],
    waits: true,
  },
  {
    name: "commands",
    shows:
      "copies between the engines miss and repeat nothing, killed too; commands that are interrupted or killed leave no half file; orders and corrections on PostgreSQL",
    packages: [],
    waits: true,
  },
  {
    name: "compatibility",
    shows:
      "oasdiff, which Go builds, finds that the stable operations break no client of 0.2.0; a rolling upgrade fails no request, and PostgreSQL is migrated under running instances",
    packages: ["git"],
  },
  {
    name: "recipes",
    shows:
      "the diffs of docs/recipes/ make what they promise, on both engines; without any one file of a new member or operation, a check fails",
    packages: ["git"],
  },
  {
    name: "verify",
    shows:
      "`verify` passes on both engines and over TLS, leaves nothing behind, and finds each deliberate fault",
    packages: [],
  },
  {
    name: "kills",
    shows:
      "200 kills in the middle of creates and more of imports lose nothing; streams of events resume where they were",
    packages: [],
  },
  {
    name: "relay",
    shows:
      "200 kills of a relay and its service while clients write: each event is delivered, in order, with one id; how many deliveries a second; the guide's check of a signature in seven languages; Standard Webhooks' own libraries for Python and Java; the judge of receivers is right about fifteen in three languages",
    packages: [
      "curl",
      "default-jdk-headless",
      "golang-1.19-go",
      "maven",
      "mono-mcs",
      "mono-runtime",
      "php-cli",
      "python3",
      "python3-venv",
      "ruby",
    ],
  },
  {
    name: "orders",
    shows:
      "200 clients race for 20 animals on several instances through kills; a change shows at once on every page",
    packages: [],
  },
  {
    name: "floods",
    shows:
      "floods of requests, targets, keys and connections, and clients that do not read, leave memory flat and open clients served; no parser's cost grows faster than its input",
    packages: [],
    rotates: true,
  },
  {
    name: "faults",
    shows:
      "disks that are full, hang or are read-only, slow clients, stops under load, a PostgreSQL that goes away, files of a store that are replaced, scheduled backups through all that",
    packages: [],
    rotates: true,
    waits: true,
  },
  {
    name: "hangs",
    shows:
      "idle connections, workers that hang, disks that are full and a PostgreSQL that freezes under a command or is locked at a start",
    packages: [],
    rotates: true,
  },
  {
    name: "workers",
    shows:
      "with two workers: stops, kills, floods and TLS; every promise of a store whose writes another process makes",
    packages: [],
  },
  {
    name: "failover",
    shows:
      "a PostgreSQL primary dies and its standby takes over; streams of events miss and repeat nothing; servers of another cluster are not believed",
    packages: [],
  },
  {
    name: "standbys",
    shows:
      "two PostgreSQL standbys answer reads, and nobody can tell: late, frozen, killed, rebuilt, promoted, on another timeline",
    packages: ["postgresql"],
  },
  {
    name: "model",
    shows:
      "a model of reads from standbys, failover and caches keeps every promise; without any one of its checks, TLC finds a counterexample",
    packages: ["default-jdk-headless", "maven"],
  },
  {
    name: "simulation",
    shows:
      "two instances through failovers, restored machines, foreign servers and half-open connections, whose clocks, network and disks a seed decides; without the checks between servers, a seed finds a wrong answer",
    packages: [],
  },
  {
    name: "systems",
    shows:
      "each create waits for its sync, as the kernel sees it; curl, systemd, zsh and fish take what is made for them",
    packages: ["strace", "curl", "systemd", "zsh", "fish"],
  },
  {
    name: "postgres-servers",
    shows:
      "the suites of PostgreSQL on Debian's server, on 14, 15 and 18, and through PgBouncer; what statements read; orders beside other hands; many instances; roles",
    packages: ["postgresql", "pgbouncer"],
  },
  {
    name: "cluster",
    shows:
      "three PostgreSQL servers under Patroni, also with reads from standbys: kills, switchovers, network cuts, two leaders",
    packages: ["postgresql", "patroni", "python3-psycopg2", "etcd-server", "iproute2", "iptables"],
    within: "suites/cluster/isolated",
  },
  {
    name: "proxies",
    shows: "nginx and Caddy as in deploy/ give clients HTTP/2, and change nothing else",
    packages: ["nginx-light", "caddy", "curl"],
  },
  {
    name: "sandbox",
    shows:
      "the HTTP contract and `verify --url` pass against a sandbox and a space; 1000 spaces and thousands of resets keep to their memory",
    packages: [],
  },
  { name: "mutants", shows: "tests fail when the program is broken on purpose", packages: [] },
  { name: "fuzz", shows: "a million hostile requests: no 5xx, no hang, no growth", packages: [] },
];

/** The part of `npm test` that `npm test -- quick` runs: the beginnings of paths. */
export const QUICK: readonly string[] = [
  "test/architecture",
  "test/bench/",
  "test/client/errors",
  "test/client/generated",
  "test/client/lists",
  "test/client/parts",
  "test/client/responses",
  "test/config/",
  "test/formats/",
  "test/http/",
  "test/openapi/",
  "test/project/",
  "test/properties/",
  "test/service/smoke",
  "test/sqlite/",
];
