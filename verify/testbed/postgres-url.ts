import { UnusableTestbed } from "./testbed.ts";

const ANY = /^/;

/** What the library makes of a URL's options for the judge's own connection, and the values that it does. */
const HONOURED: Readonly<Record<string, RegExp>> = {
  user: ANY,
  password: ANY,
  host: /^[^,]*$/,
  port: /^[0-9]*$/,
  dbname: ANY,
  sslmode: /^(?:disable|prefer|require|verify-ca|verify-full)$/,
  sslrootcert: /^(?!system$)/,
  application_name: ANY,
  connect_timeout: /^[0-9]+$/,
  statement_timeout: /^[0-9]+$/,
  options: ANY,
  // The one host that there is has to take writes anyway.
  target_session_attrs: /^(?:read-write|primary)$/,
};

/**
 * Refuses what the judge's own connection would not do as it is said, by its name: the library passes over some
 * options in silence, and hands others on to the server.
 *
 * @throws UnusableTestbed
 */
export function refuseUnhonoured(url: string): void {
  const [address = "", query = ""] = url.split("?", 2);
  const options = [...new URLSearchParams(query)];
  const several =
    /^[^/]*\/\/[^/]*,/.test(address) ||
    options.some(([name, value]) => name === "host" && value.includes(","));
  if (several) throw new UnusableTestbed("name one host of the database: the one that accepts writes.");
  for (const [name, value] of options) {
    const honoured = Object.hasOwn(HONOURED, name) ? HONOURED[name] : undefined;
    if (honoured?.test(value)) continue;
    const what = honoured ? `${name}=${value}` : `the option ${name}`;
    throw new UnusableTestbed(
      `--database must not have ${what}: \`verify\` opens its own connections, which do not support it; ` +
        `it supports ${Object.keys(HONOURED).join(", ")}.`,
    );
  }
}
