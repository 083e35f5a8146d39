import { distance } from "fastest-levenshtein";

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** What the options of a URL come to, by what they are for. */
export interface UrlOptions {
  readonly sslMode: SslMode;
  /** The path of a PEM file with the authorities to trust; `undefined`: those that the runtime trusts. */
  readonly sslRootCert: string | undefined;
  /** The paths of PEM files: the certificate that the server gets to see, and its key. */
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
  readonly sslPassword: string | undefined;
  readonly channelBinding: "disable" | "prefer" | "require";
  readonly applicationName: string;
  /** How long one server may take to let us in. No longer than a statement may take: requests wait meanwhile. */
  readonly connectTimeoutMs: number;
  /** How long the server gives a statement of a request. */
  readonly statementTimeoutMs: number;
  /** The server's command-line options for the session: `-c search_path=x`. */
  readonly serverOptions: string | undefined;
}

const STATEMENT_TIMEOUT_MS = { least: 100, usual: 1000, most: 8000 };

const DEFAULTS: UrlOptions = {
  sslMode: "prefer",
  sslRootCert: undefined,
  sslCert: undefined,
  sslKey: undefined,
  sslPassword: undefined,
  channelBinding: "disable",
  applicationName: "animal-store",
  connectTimeoutMs: Number.POSITIVE_INFINITY,
  statementTimeoutMs: STATEMENT_TIMEOUT_MS.usual,
  serverOptions: undefined,
};

/** What a value says, or what it must be. */
type Read = (value: string) => Partial<UrlOptions> | string;

const OPTIONS: Readonly<Record<string, Read>> = {
  sslmode: (value) => {
    const sslMode = SSL_MODES.find((mode) => mode === value);
    if (sslMode) return { sslMode };
    return value === "allow"
      ? "must not have sslmode=allow, which asks for TLS only where plain text is refused; say prefer or require"
      : `must have an sslmode of ${SSL_MODES.join(", ")}`;
  },
  // As JDBC has it, and libpq too.
  ssl: (value) => (value === "true" ? { sslMode: "require" } : "must have ssl=true, or an sslmode"),
  sslrootcert: (value) => (value === "system" ? {} : { sslRootCert: value }),
  sslcert: (value) => ({ sslCert: value }),
  sslkey: (value) => ({ sslKey: value }),
  sslpassword: (value) => ({ sslPassword: value }),
  channel_binding: (value) =>
    value === "disable" || value === "prefer" || value === "require"
      ? { channelBinding: value }
      : "must have a channel_binding of disable, prefer or require",
  application_name: (value) => ({ applicationName: value }),
  fallback_application_name: () => ({}),
  connect_timeout: (value) =>
    /^[0-9]{1,6}$/.test(value)
      ? { connectTimeoutMs: Number(value) * 1000 || Number.POSITIVE_INFINITY }
      : "must have a connect_timeout in whole seconds",
  // The server's own name for it. A request that takes much longer than the most would be cut off.
  statement_timeout: (value) => {
    const { least, most } = STATEMENT_TIMEOUT_MS;
    const statementTimeoutMs = /^[0-9]{1,6}$/.test(value) ? Number(value) : 0;
    return statementTimeoutMs >= least && statementTimeoutMs <= most
      ? { statementTimeoutMs }
      : `must have a statement_timeout of ${least} to ${most}, in milliseconds`;
  },
  options: (value) => ({ serverOptions: value }),
  // What holds anyway may be said.
  target_session_attrs: only(
    ["read-write", "primary"],
    "target_session_attrs",
    "it writes, so it looks for the primary",
  ),
  gssencmode: only(["disable", "prefer"], "gssencmode", "it has no GSSAPI"),
  load_balance_hosts: only(["disable"], "load_balance_hosts", "only one server is the primary"),
  sslnegotiation: only(["postgres"], "sslnegotiation", "it cannot begin with TLS at once"),
  sslsni: only(["1"], "sslsni", "the name is always sent"),
  sslcompression: only(["0"], "sslcompression", "TLS is not compressed"),
  client_encoding: only(["UTF8", "utf8", "auto"], "client_encoding", "names are kept in UTF-8"),
};

const UNSUPPORTED: Readonly<Record<string, string>> = {
  hostaddr: "name the address as the host",
  passfile: "put the password into the URL",
  service: "name the server in the URL",
  sslcrl: "revocation lists are not looked at",
  sslcrldir: "revocation lists are not looked at",
  sslcertmode: "a certificate is sent where sslcert names one",
  ssl_min_protocol_version: "TLS 1.2 is the least",
  ssl_max_protocol_version: "TLS 1.3 is used where the server has it",
  min_protocol_version: "version 3.0 of the protocol is spoken",
  max_protocol_version: "version 3.0 of the protocol is spoken",
  keepalives: "deadlines of its own tell it that a server is gone",
  keepalives_idle: "deadlines of its own tell it that a server is gone",
  keepalives_interval: "deadlines of its own tell it that a server is gone",
  keepalives_count: "deadlines of its own tell it that a server is gone",
  tcp_user_timeout: "deadlines of its own tell it that a server is gone",
  require_auth: "the server chooses how to ask for the password",
  requirepeer: "the owner of a Unix socket is not looked at",
  scram_client_key: "give the password",
  scram_server_key: "give the password",
  krbsrvname: "it has no GSSAPI",
  gsslib: "it has no GSSAPI",
  gssdelegation: "it has no GSSAPI",
  replication: "it is no standby",
  sslkeylogfile: "keys are not written down",
};

/**
 * What the options of a URL say, over what holds without them; or everything that is wrong with them,
 * each completing "it …".
 */
export function readUrlOptions(given: ReadonlyMap<string, string>): UrlOptions | readonly string[] {
  const mistakes: string[] = [];
  const options: UrlOptions = { ...DEFAULTS };
  for (const [name, value] of given) {
    const read = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]?.(value) : undefined;
    if (typeof read === "object") Object.assign(options, read);
    else mistakes.push(read ?? refusalOf(name));
  }
  const { sslMode, sslRootCert, sslCert, sslKey } = options;
  if ((sslCert === undefined) !== (sslKey === undefined))
    mistakes.push("must have sslcert and sslkey together");
  if ((sslRootCert ?? sslCert) !== undefined && (sslMode === "disable" || sslMode === "prefer")) {
    mistakes.push(
      "must have an sslmode of require, verify-ca or verify-full beside an sslrootcert or sslcert",
    );
  }
  // As libpq has it: to name whom to trust and then to trust anyone is not meant.
  const strict = sslMode === "require" && given.has("sslrootcert") ? { sslMode: "verify-ca" as const } : {};
  const connectTimeoutMs = Math.min(options.connectTimeoutMs, options.statementTimeoutMs);
  return mistakes.length > 0 ? mistakes : { ...options, ...strict, connectTimeoutMs };
}

function only(values: readonly string[], name: string, why: string): Read {
  return (value) => (values.includes(value) ? {} : `must not have ${name}=${value}: ${why}`);
}

function refusalOf(name: string): string {
  const why = Object.hasOwn(UNSUPPORTED, name) ? UNSUPPORTED[name] : undefined;
  if (why) return `must not have the option ${name}, which is not supported: ${why}`;
  const meant = Object.keys(OPTIONS).find((known) => distance(known, name.toLowerCase()) <= 2);
  return `must not have the option ${name}, which is unknown${meant ? `; ${meant} is one` : ""}`;
}
