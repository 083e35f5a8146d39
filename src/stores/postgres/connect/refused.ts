import { lookup } from "node:dns/promises";
import { within } from "../../../system/within.ts";
import { sqlState } from "../errors.ts";
import type { Host, PostgresUrl } from "./url.ts";

const LOOKUP_MS = 300;

/** A server cannot be used now. The message completes "the server HOST …". */
export class Refused extends Error {
  /** Whether a later attempt may succeed: the server is starting, or has no free connection. */
  readonly transient: boolean;

  constructor(message: string, transient = false, options?: ErrorOptions) {
    super(message, options);
    this.name = "Refused";
    this.transient = transient;
  }
}

/** Explains why connecting failed, and what to do about it. */
export async function explainConnectError(
  error: unknown,
  host: Host,
  { user, database, options }: PostgresUrl,
): Promise<Refused> {
  const { code = "", message } = error as { code?: string; message: string };
  const say = (text: string, transient = false) => new Refused(text, transient, { cause: error });
  switch (sqlState(error) ?? code) {
    case "ERR_POSTGRES_CONNECTION_REFUSED":
      return (await isKnown(host))
        ? say("cannot be reached: PostgreSQL must run there, and listen on that address and port")
        : say("is not known by that name");
    case "ERR_POSTGRES_CONNECTION_FAILED":
    case "ERR_POSTGRES_CONNECTION_CLOSED":
    case "ERR_POSTGRES_UNEXPECTED_MESSAGE":
      return say("does not answer as PostgreSQL does: it is shutting down, or another program listens there");
    case "ERR_POSTGRES_TLS_NOT_AVAILABLE":
      return say(`offers no TLS; turn it on there, or say another sslmode than ${options.sslMode}`);
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return say("has a certificate for another name; use that name, or sslmode=verify-ca");
    case "CERT_HAS_EXPIRED":
      return say("has a certificate that has expired, or whose authority's has; renew it there");
    case "CERT_NOT_YET_VALID":
      return say("has a certificate that is not valid yet; check the clocks of both machines");
    case "08P01":
      return options.serverOptions === undefined
        ? say(`refuses the connection: ${message}`)
        : say(
            `refuses the connection: ${message}; a pooler takes no option \`options\`: leave it out of the URL`,
          );
    case "28P01":
      return say(`refuses the user ${user}: the password is wrong, or there is none`);
    case "28000":
      return say(`refuses the user ${user}: ${message}`);
    case "3D000":
      return say(`has no database ${database}; create it, for example with createdb`);
    case "42501":
      return say(`does not let the user ${user} use the database ${database}: ${message}`);
    case "53300":
      return say(
        `has no connection to spare: raise ${connectionLimit(error, user, database)}, or run fewer clients`,
        true,
      );
    case "57014":
      return say("cancels what is asked of it first: its statement_timeout for this user is too short", true);
    case "57P03":
      return say(`takes no connections yet: ${message}`, true);
  }
  if (/CERT|SIGNATURE|ISSUER|OSSL|BORINGSSL/.test(code)) {
    return say(`has a certificate that is not trusted (${message}); name its authority's with sslrootcert`);
  }
  return say(`refuses the connection: ${sqlState(error) ?? code}: ${message}`);
}

/**
 * Names the limit that is reached. The server has one code for all of them, and its message is in its own language, so this
 * asks which of its functions refused (`src/backend/utils/init`).
 */
function connectionLimit(error: unknown, user: string, database: string): string {
  switch ((error as { routine?: string }).routine) {
    case "InitializeSessionUserId":
      return `the CONNECTION LIMIT of the user ${user} (ALTER ROLE)`;
    case "CheckMyDatabase":
      return `the CONNECTION LIMIT of the database ${database} (ALTER DATABASE)`;
    default:
      return "its max_connections";
  }
}

/** Whether a name resolves to an address; also `true` if the answer takes too long. */
function isKnown({ name }: Host): boolean | Promise<boolean> {
  if (name.startsWith("/")) return true;
  const asked = lookup(name).then(
    () => true,
    () => false,
  );
  return within(LOOKUP_MS, asked, () => true);
}
