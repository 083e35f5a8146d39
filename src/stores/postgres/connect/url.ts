import { isOption, readUrlOptions, type UrlOptions } from "./url-options.ts";

/** A server that a URL names: a host name, an address, or the folder of a Unix socket. */
export interface Host {
  readonly name: string;
  readonly port: number;
}

/** A PostgreSQL URL, parsed. */
export interface PostgresUrl {
  /** In order of preference, each once. */
  readonly hosts: readonly Host[];
  readonly user: string;
  /** `undefined` if the URL has none. */
  readonly password: string | undefined;
  readonly database: string;
  readonly options: UrlOptions;
}

const PORT = "5432";
const SHAPE = /^postgres(?:ql)?:\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]*)(?:\/([^/?#\s]*))?(?:\?([^?#\s]*))?$/;
const RULE =
  "must look like postgres://user:password@host:5432/database, with % : / ? # @ within a name as " +
  "%25 %3A %2F %3F %23 %40";

/** The parts of the address that may be given as options instead, by these names. */
const ADDRESS = ["user", "password", "host", "port", "dbname"];

/**
 * Parses a URL as libpq does (PostgreSQL's documentation, "Connection URIs"), with any number of hosts.
 *
 * @returns the parts of the URL, or all problems, each of which completes "it …"
 */
export function readPostgresUrl(text: string): PostgresUrl | readonly string[] {
  const [whole, userInfo = "", hostList = "", path = "", query = ""] = SHAPE.exec(text) ?? [];
  if (whole === undefined) return [RULE];
  const mistakes: string[] = [];
  const decode = (part: string): string => {
    const decoded = percentDecoded(part);
    if (decoded === undefined)
      mistakes.push("must have two hex digits after each %, of what is UTF-8 and not U+0000");
    return decoded ?? "";
  };
  const given = new Map<string, string>();
  for (const pair of query.split("&").filter((pair) => pair !== "")) {
    const [name = "", value] = pair.split(/=(.*)/s, 2).map(decode);
    if (value === undefined || given.has(name)) {
      const shown = isOption(name) || ADDRESS.includes(name) ? name : undefined;
      mistakes.push(
        `must give ${shown ? `the option ${shown}` : "each option"} once, as ${shown ?? "name"}=…`,
      );
    }
    given.set(name, value ?? "");
  }
  const [userName = "", ...passwords] = userInfo.split(/:(.*)/s, 2);
  const address: Record<string, string> = {
    user: decode(userName),
    password: passwords.map(decode).join(""),
    dbname: decode(path),
  };
  for (const name of ADDRESS) {
    const option = given.get(name);
    if (option !== undefined && (address[name] ?? "") !== "") {
      mistakes.push(`must not have the option ${name} as well as the same in its address`);
    }
    address[name] = option ?? address[name] ?? "";
    given.delete(name);
  }
  const { user = "", password = "", dbname: database = "", host = "", port = "" } = address;
  if (user === "") mistakes.push("must name a user before an @, as in postgres://user@host/database");
  if (database === "") mistakes.push("must name a database after a /, as in postgres://user@host/database");
  const hosts = host === "" ? hostsOf(hostList, port, decode) : namedHosts(host, port);
  if (hosts.some(({ name, port }) => name === "" || !(port >= 1 && port <= 65535))) {
    mistakes.push(
      "must name its hosts as host or host:port, with commas between, a port being 1 to 65535 and an IPv6 address in [ ]",
    );
  }
  const options = readUrlOptions(given);
  if (!("sslMode" in options)) mistakes.push(...options);
  if (mistakes.length > 0 || !("sslMode" in options)) return [...new Set(mistakes)];
  return {
    hosts: distinct(hosts),
    user,
    password: password === "" ? undefined : password,
    database,
    options,
  };
}

/** The hosts without repetitions: a server that is named twice is not its own standby. */
function distinct(hosts: readonly Host[]): Host[] {
  const isFirst = (host: Host, at: number) =>
    hosts.findIndex(({ name, port }) => name === host.name && port === host.port) === at;
  return hosts.filter(isFirst);
}

/** Parses the hosts of the address, for example `one:5432,[::1]:5433,%2Fvar%2Frun`. */
function hostsOf(list: string, ports: string, decode: (part: string) => string): Host[] {
  const written = list
    .split(",")
    .map((each) => /^(?:\[([0-9A-Za-z:.%]+)\]|([^:[\]]*))(?::([0-9]*))?$/.exec(each));
  const names = written.map((match) => decode(match?.[1] ?? match?.[2] ?? ""));
  return withPorts(names, ports === "" ? written.map((match) => match?.[3] ?? "") : ports.split(","));
}

/** Combines the options `host` and `port`. */
function namedHosts(names: string, ports: string): Host[] {
  return withPorts(names.split(","), ports.split(","));
}

/** A single port applies to all hosts. */
function withPorts(names: readonly string[], ports: readonly string[]): Host[] {
  return names.map((name, at) => {
    const port = ports.length === 1 ? ports[0] : (ports[at] ?? "none");
    return { name, port: /^[0-9]{0,5}$/.test(port ?? "") ? Number(port || PORT) : 0 };
  });
}

function percentDecoded(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\0") ? undefined : decoded;
  } catch {
    return undefined;
  }
}
