/** This machine's names, as `NO_PROXY` lists them. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1", "[::1]"];

/**
 * Keeps the requests to this machine, with their API keys, from the proxy that the environment names for the network: no
 * proxy reaches this machine's loopback addresses. Programs that a command starts inherit the exemption.
 */
export function exemptThisMachine(): void {
  const { env } = process;
  // The runtime reads the lower-case name first, and other programs may read the upper-case name alone.
  const named = env.no_proxy || env.NO_PROXY;
  const list = [...(named ? [named] : []), ...THIS_MACHINE].join(",");
  env.no_proxy = list;
  env.NO_PROXY = list;
}
