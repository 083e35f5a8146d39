import { BlockList, isIP } from "node:net";
import { systemResolve } from "../../relay/public-address.ts";
import { quote } from "../../src/domain/quote.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Where a sandbox may deliver to: addresses of its own machine, as long as only this machine reaches the sandbox. A client of the
 * control interface chooses addresses, and sees responses: a sandbox for others would show them what listens on its machine.
 */
export class Reach {
  readonly #listensOn: string;

  /** @param listensOn the host on which the sandbox listens */
  constructor(listensOn: string) {
    this.#listensOn = listensOn;
  }

  /** Why an address is out of reach, as the rest of a sentence; `undefined` if it is not. */
  ruleAgainst({ hostname }: URL): string | undefined {
    if (!isLocal(this.#listensOn))
      return `is out of reach: others may use this sandbox, which listens on ${quote(this.#listensOn)}, so it delivers nowhere; start it with \`--host 127.0.0.1\``;
    return isLocal(bare(hostname))
      ? undefined
      : "is out of reach: a sandbox delivers to its own machine alone (localhost or 127.0.0.1); let a program there pass on to another what comes";
  }

  /** Finds the addresses of a host that is in reach: a name for this machine must not lead elsewhere. */
  readonly resolve = async (host: string): Promise<readonly string[]> =>
    (await systemResolve(host)).filter(isLoopback);
}

function isLocal(host: string): boolean {
  return host === "localhost" || isLoopback(host);
}

function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** An IPv6 address stands in brackets in a URL. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}
