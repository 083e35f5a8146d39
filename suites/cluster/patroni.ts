import { chmodSync, chownSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { distributionPrograms } from "../../test/support/installed-programs.ts";
import { isThere, signalAll, treeOf } from "../../test/support/processes.ts";
import { TIED } from "../../test/support/program.ts";
import { type Host, type Network, run } from "./network.ts";

const SCOPE = "animals";

/** PostgreSQL under Patroni: one of the members of a cluster. */
export class Member {
  readonly host: Host;
  readonly #settings: string;
  readonly #data: string;
  readonly #log: string;
  #patroni: Bun.Subprocess | undefined;

  constructor(host: Host, folder: string, settings: string) {
    this.host = host;
    this.#settings = settings;
    this.#data = join(folder, host.name);
    this.#log = join(folder, `${host.name}.log`);
  }

  get name(): string {
    return this.host.name;
  }

  /** Starts Patroni, and so PostgreSQL. */
  start(): void {
    const asPostgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"];
    const log = openSync(this.#log, "a");
    this.#patroni = Bun.spawn([...TIED, ...this.host.inside(...asPostgres, "patroni", this.#settings)], {
      cwd: "/",
      env: { PATH: process.env.PATH ?? "", PYTHONDONTWRITEBYTECODE: "1" },
      stdin: "ignore",
      stdout: log,
      stderr: log,
    });
  }

  /** Kills Patroni and PostgreSQL, as a machine that loses power does. */
  async kill(): Promise<void> {
    this.#signalPatroni("SIGKILL");
    await this.killPostgres();
    await this.#patroni?.exited;
  }

  /** Kills PostgreSQL, and leaves Patroni. */
  async killPostgres(): Promise<void> {
    const pid = Number(readFileSync(join(this.#data, "postmaster.pid"), "utf8").split("\n")[0]);
    const killed = treeOf(pid);
    signalAll(killed, "SIGKILL");
    while (killed.some(isThere)) await Bun.sleep(5);
  }

  /** Stops Patroni in the middle of what it does; PostgreSQL goes on. */
  freezePatroni(): void {
    this.#signalPatroni("SIGSTOP");
  }

  /** Opens a connection as the superuser. */
  connect(database = "postgres"): SQL {
    return new SQL({
      url: `postgres://postgres@${this.host.address}/${database}`,
      max: 1,
      connectionTimeout: 1,
    });
  }

  #signalPatroni(signal: NodeJS.Signals): void {
    const { pid } = this.#patroni as Bun.Subprocess;
    signalAll([pid], signal);
  }
}

/** What Patroni says of a member. */
interface MemberState {
  readonly name: string;
  readonly role: "leader" | "sync_standby" | "replica";
  readonly state: string;
}

/** Three members in synchronous mode, and the etcd that they agree by. */
export class Cluster {
  readonly etcd: Host;
  readonly members: readonly Member[];
  readonly #settings: string;

  private constructor(etcd: Host, members: readonly Member[], settings: string) {
    this.etcd = etcd;
    this.members = members;
    this.#settings = settings;
  }

  /** Resolves when it has a leader and two standbys, of which one is synchronous. */
  static async start(network: Network, folder: string): Promise<Cluster> {
    const [, , uid, gid] = run("getent", "passwd", "postgres").split(":");
    const own = (path: string) => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chownSync(path, Number(uid), Number(gid));
    };
    chmodSync(folder, 0o755);
    const etcd = await network.addHost("etcd", 5);
    startEtcd(etcd, folder);
    const members: Member[] = [];
    for (const number of [1, 2, 3]) {
      const host = await network.addHost(`n${number}`, 10 + number);
      const settings = join(folder, `${host.name}.json`);
      own(join(folder, host.name));
      await Bun.write(settings, JSON.stringify(settingsOf(host, etcd, join(folder, host.name))));
      members.push(new Member(host, folder, settings));
    }
    const cluster = new Cluster(etcd, members, join(folder, "n1.json"));
    for (const member of members) member.start();
    await cluster.whenHealthy();
    return cluster;
  }

  /** The URL of a database, with every member in it. */
  url(user: string, database: string): string {
    const hosts = this.members.map(({ host }) => host.address).join();
    return `postgres://${user}@${hosts}/${database}?target_session_attrs=read-write`;
  }

  /** Runs `patronictl`. */
  async patronictl(command: string, ...args: readonly string[]): Promise<void> {
    const child = Bun.spawn(["patronictl", "-c", this.#settings, command, SCOPE, ...args], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, complaint] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) throw new Error(`patronictl ${command}: ${output}${complaint}`);
  }

  /** What the members say of themselves, to whichever of them answers. */
  async states(): Promise<readonly MemberState[]> {
    const asked = this.members.map(async ({ host }) => {
      const answer = await fetch(`http://${host.address}:8008/cluster`, {
        signal: AbortSignal.timeout(1000),
      });
      return ((await answer.json()) as { members: readonly MemberState[] }).members;
    });
    return await Promise.any(asked).catch(() => []);
  }

  async leader(): Promise<Member> {
    for (;;) {
      const leader = (await this.states()).find(({ role }) => role === "leader");
      const member = this.members.find(({ name }) => name === leader?.name);
      if (member) return member;
      await Bun.sleep(100);
    }
  }

  /** Resolves when a leader has two standbys that follow it, one of them synchronous. */
  async whenHealthy(): Promise<void> {
    for (;;) {
      const states = await this.states();
      const count = (role: MemberState["role"]) =>
        states.filter((each) => each.role === role && /^(running|streaming)$/.test(each.state)).length;
      if (count("leader") === 1 && count("sync_standby") === 1 && count("replica") === 1) return;
      await Bun.sleep(200);
    }
  }

  /** Resolves when a member other than the old leader takes writes; the look itself takes some 20 ms. */
  async promotion(old: Member): Promise<{ readonly leader: Member; readonly at: number }> {
    const found = Promise.withResolvers<{ leader: Member; at: number }>();
    let over = false;
    const watch = async (member: Member) => {
      while (!over) {
        const sql = member.connect();
        try {
          while (!over) {
            const [row] = await sql`SELECT pg_is_in_recovery() AS standby`;
            if (!row.standby) found.resolve({ leader: member, at: performance.now() });
            await Bun.sleep(20);
          }
        } catch {
          await Bun.sleep(20);
        } finally {
          sql.close({ timeout: 0 }).catch(() => {});
        }
      }
    };
    const watching = Promise.all(this.members.filter((member) => member !== old).map(watch));
    try {
      return await found.promise;
    } finally {
      over = true;
      await watching;
    }
  }
}

function startEtcd(host: Host, folder: string): void {
  const client = `http://${host.address}:2379`;
  const log = openSync(join(folder, "etcd.log"), "a");
  const settings = [
    ["data-dir", join(folder, "etcd")],
    ["listen-client-urls", client],
    ["advertise-client-urls", client],
    ["unsafe-no-fsync", "true"],
  ].map(([name, value]) => `--${name}=${value}`);
  Bun.spawn([...TIED, ...host.inside("etcd", ...settings)], {
    cwd: folder,
    stdin: "ignore",
    stdout: log,
    stderr: log,
  });
}

/** What docs/postgresql.md shows, with other addresses, and shorter times, so that the suite does not wait for them. */
function settingsOf({ name, address }: Host, etcd: Host, data: string) {
  const page = readFileSync(join(import.meta.dir, "../../docs/postgresql.md"), "utf8");
  const [, shown = ""] = /^```yaml\n(scope: .*?)^```$/ms.exec(page) ?? [];
  const text = shown
    .replaceAll("db1", name)
    // In the suite's own network nobody needs a password.
    .replaceAll(", password: …", "")
    .replaceAll("10.0.0.1:", `${address}:`)
    .replaceAll("10.0.0.0/24 scram-sha-256", "10.99.0.0/24 trust");
  const { bootstrap, postgresql, ...settings } = Bun.YAML.parse(text) as PatroniSettings;
  return {
    ...settings,
    etcd3: { hosts: [`${etcd.address}:2379`] },
    bootstrap: {
      dcs: { ...bootstrap.dcs, ttl: 5, loop_wait: 1, retry_timeout: 3 },
      initdb: [...bootstrap.initdb, { locale: "C" }, "no-sync"],
    },
    postgresql: {
      ...postgresql,
      bin_dir: distributionPrograms(),
      data_dir: data,
      // Processes are killed here, not machines: what they have written to files stays.
      parameters: { fsync: "off", unix_socket_directories: "" },
    },
  };
}

interface PatroniSettings {
  readonly bootstrap: { readonly dcs: object; readonly initdb: readonly unknown[] };
  readonly postgresql: object;
}
