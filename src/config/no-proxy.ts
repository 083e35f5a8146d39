/** This machine's names, as `NO_PROXY` lists them. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1", "[::1]"];

/**
 * Keeps requests to this machine's usual loopback names, with their API keys, from the proxy that the environment names for the
 * network: no proxy reaches this machine's loopback. Programs that a command starts inherit the exemption.
 */
export function exemptThisMachine(env: NodeJS.ProcessEnv = process.env): void {
  // The runtime reads the lower-case name first, and other programs may read the upper-case name alone.
  const given = (env.no_proxy || env.NO_PROXY || "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  // Some programs know `*`, every host, only where it stands alone.
  const list = given.includes("*") ? "*" : [...new Set([...given, ...THIS_MACHINE])].join(",");
  env.no_proxy = list;
  env.NO_PROXY = list;
}
