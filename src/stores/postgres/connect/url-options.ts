import { distance } from "fastest-levenshtein";

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** The options of a URL, parsed. */
export interface UrlOptions {
  readonly sslMode: SslMode;
  /** The path of a PEM file with the certificate authorities to trust; `undefined` for those of the runtime. */
  readonly sslRootCert: string | undefined;
  /** The paths of PEM files: the client certificate, and its key. */
  readonly sslCert: string | undefined;
  readonly sslKey: string | undefined;
  readonly sslPassword: string | undefined;
  readonly channelBinding: "disable" | "prefer" | "require";
  readonly applicationName: string;
  /** How long connecting to one server may take. Requests wait meanwhile, so it is at most `statementTimeoutMs`. */
  readonly connectTimeoutMs: number;
  /** The server's time limit for a statement of a request. */
  readonly statementTimeoutMs: number;
  /** Command-line options of the server for this session, for example `-c search_path=x`. */
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

/** Parses a value, or returns the rule that it breaks. */
type Read = (value: string) => Partial<UrlOptions> | string;

const OPTIONS: Readonly<Record<string, Read>> = {
  sslmode: (value) => {
    const sslMode = SSL_MODES.find((mode) => mode === value);
    if (sslMode) return { sslMode };
    return value === "allow"
      ? "must not have sslmode=allow, which uses TLS only if plain text is refused; use prefer or require"
      : `must have an sslmode of ${SSL_MODES.join(", ")}`;
  },
  // As in JDBC, and in libpq too.
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
  // The name of the server's own setting. A request that took much longer than the maximum would be cut off.
  statement_timeout: (value) => {
    const { least, most } = STATEMENT_TIMEOUT_MS;
    const statementTimeoutMs = /^[0-9]{1,6}$/.test(value) ? Number(value) : 0;
    return statementTimeoutMs >= least && statementTimeoutMs <= most
      ? { statementTimeoutMs }
      : `must have a statement_timeout of ${least} to ${most}, in milliseconds`;
  },
  options: (value) => ({ serverOptions: value }),
  // These options may only confirm what this program does anyway.
  target_session_attrs: only(
    ["read-write", "primary"],
    "target_session_attrs",
    "it writes, so it looks for the primary",
  ),
  gssencmode: only(["disable", "prefer"], "gssencmode", "it does not support GSSAPI"),
  load_balance_hosts: only(["disable"], "load_balance_hosts", "only one server is the primary"),
  sslnegotiation: only(["postgres"], "sslnegotiation", "it cannot start with TLS directly"),
  sslsni: only(["1"], "sslsni", "the name is always sent"),
  sslcompression: only(["0"], "sslcompression", "TLS is not compressed"),
  client_encoding: only(["UTF8", "utf8", "auto"], "client_encoding", "names are stored in UTF-8"),
};

/** Options of libpq that this program does not support, each with what to do or expect instead. */
const UNSUPPORTED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    "name the address as the host": ["hostaddr"],
    "put the password into the URL": ["passfile"],
    "name the server in the URL": ["service"],
    "revocation lists are not checked": ["sslcrl", "sslcrldir"],
    "a certificate is sent if sslcert names one": ["sslcertmode"],
    "TLS 1.2 is the minimum": ["ssl_min_protocol_version"],
    "TLS 1.3 is used if the server supports it": ["ssl_max_protocol_version"],
    "it uses version 3.0 of the protocol": ["min_protocol_version", "max_protocol_version"],
    "it has its own deadlines to detect a lost server": [
      "keepalives",
      "keepalives_idle",
      "keepalives_interval",
      "keepalives_count",
      "tcp_user_timeout",
    ],
    "the server chooses how to ask for the password": ["require_auth"],
    "the owner of a Unix socket is not checked": ["requirepeer"],
    "give the password": ["scram_client_key", "scram_server_key"],
    "it does not support GSSAPI": ["krbsrvname", "gsslib", "gssdelegation"],
    "it is not a standby": ["replication"],
    "it does not write down keys": ["sslkeylogfile"],
  }).flatMap(([why, names]) => names.map((name) => [name, why])),
);

/**
 * Parses the options of a URL, with defaults for absent options. Returns all problems instead if there are any; each
 * completes "it …".
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
    mistakes.push("must have an sslmode of require, verify-ca or verify-full with an sslrootcert or sslcert");
  }
  // As in libpq: naming an authority to trust implies verifying the certificate.
  const strict = sslMode === "require" && given.has("sslrootcert") ? { sslMode: "verify-ca" as const } : {};
  const connectTimeoutMs = Math.min(options.connectTimeoutMs, options.statementTimeoutMs);
  return mistakes.length > 0 ? mistakes : { ...options, ...strict, connectTimeoutMs };
}

function only(values: readonly string[], name: string, why: string): Read {
  return (value) => (values.includes(value) ? {} : `must have no ${name} but ${values.join(" or ")}: ${why}`);
}

/** Whether this is the name of an option. Any other text may belong to a password, so no message shows it. */
export function isOption(name: string): boolean {
  return Object.hasOwn(OPTIONS, name) || Object.hasOwn(UNSUPPORTED, name);
}

function refusalOf(name: string): string {
  const why = Object.hasOwn(UNSUPPORTED, name) ? UNSUPPORTED[name] : undefined;
  if (why) return `must not have the option ${name}, which is not supported: ${why}`;
  const meant = Object.keys(OPTIONS).find((known) => distance(known, name.toLowerCase()) <= 2);
  return meant
    ? `must not have an unknown option; ${meant} is a known one`
    : "must not have an unknown option; write a ? within a password as %3F, and an & as %26";
}
