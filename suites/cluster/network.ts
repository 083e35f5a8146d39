import { readlinkSync } from "node:fs";
import { TIED } from "../../test/support/program.ts";

/** A network with no way out: a bridge in this process's own network namespace. */
export class Network {
  static readonly address = "10.99.0.1";

  /** @throws Error in a network namespace that is not this suite's own */
  constructor() {
    const links = run("ip", "-o", "link").trim().split("\n");
    if (links.length > 1)
      throw new Error("the cluster suite runs in namespaces of its own: npm test -- cluster");
    run("ip", "link", "set", "lo", "up");
    run("ip", "link", "add", "bridge", "type", "bridge");
    run("ip", "address", "add", `${Network.address}/24`, "dev", "bridge");
    run("ip", "link", "set", "bridge", "up");
  }

  /** @param number the last part of its address */
  async addHost(name: string, number: number): Promise<Host> {
    // A network namespace lasts as long as a process in it.
    const holder = Bun.spawn([...TIED, "unshare", "--net", "sleep", "infinity"]);
    const own = readlinkSync("/proc/self/ns/net");
    while (readlinkSync(`/proc/${holder.pid}/ns/net`) === own) await Bun.sleep(5);
    const host = new Host(name, `10.99.0.${number}`, holder.pid);
    run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", `${holder.pid}`);
    run("ip", "link", "set", name, "master", "bridge", "up");
    run(...host.inside("ip", "link", "set", "lo", "up"));
    run(...host.inside("ip", "address", "add", `${host.address}/24`, "dev", "eth0"));
    run(...host.inside("ip", "link", "set", "eth0", "up"));
    return host;
  }
}

/** A machine of the network, as far as its programs can tell. */
export class Host {
  readonly name: string;
  readonly address: string;
  readonly #pid: number;

  constructor(name: string, address: string, pid: number) {
    this.name = name;
    this.address = address;
    this.#pid = pid;
  }

  /** The command line that runs a command on this host. */
  inside(...command: readonly string[]): string[] {
    return ["nsenter", `--net=/proc/${this.#pid}/ns/net`, ...command];
  }

  /** Cuts it off from everybody, without a word to its peers, until `reconnect`. */
  cut(): void {
    run("ip", "link", "set", this.name, "down");
  }

  reconnect(): void {
    run("ip", "link", "set", this.name, "up");
  }

  /** Drops all packets from and to another address, until `unblock`. */
  block(address: string): void {
    for (const rule of this.#rules(address)) run(...this.inside("iptables", "-A", ...rule));
  }

  unblock(address: string): void {
    for (const rule of this.#rules(address)) run(...this.inside("iptables", "-D", ...rule));
  }

  #rules(address: string): string[][] {
    return [
      ["INPUT", "-s", address, "-j", "DROP"],
      ["OUTPUT", "-d", address, "-j", "DROP"],
    ];
  }
}

/** Runs a command to its end and returns what it wrote. */
export function run(...command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}${stdout}`);
  return stdout.toString();
}
