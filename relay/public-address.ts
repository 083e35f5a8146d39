import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** Finds the IP addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * What is not a public address of one machine (the special-purpose registries of RFC 6890 and its successors). Addresses
 * that contain an IPv4 address, such as `::ffff:10.0.0.1`, are judged by that one, or refused.
 */
const RESERVED: readonly (readonly [net: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const reserved = new BlockList();
for (const [net, prefix] of RESERVED) reserved.addSubnet(net, prefix, familyOf(net));

/** Whether an IP address is one of the public internet, rather than of this machine or a network of its own. */
export function isPublic(address: string): boolean {
  // A zone (`fe80::1%eth0`) makes an address one of a link.
  return isIP(address) !== 0 && !address.includes("%") && !reserved.check(address, familyOf(address));
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether an IP address is one of this machine alone; a name is none. */
export function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && loopback.check(address, familyOf(address));
}

/** A host without the brackets that an IPv6 address has in a URL. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Finds the addresses of a name for this machine, which must not lead elsewhere later. */
export function localOnly(resolve: Resolve): Resolve {
  return async (host) => {
    const local = (await resolve(host)).filter(isLoopback);
    if (local.length > 0) return local;
    throw new Error(`${host} leads to this machine no more`);
  };
}

/** Asks the system, as every program does: its files, then DNS. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
