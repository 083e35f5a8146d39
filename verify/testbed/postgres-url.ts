import { UnusableTestbed } from "./testbed.ts";

const ANY = /^/;

/** The URL options that the library honours for verify's own connection, with the values that it supports. */
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
  // There is only one host, and it has to accept writes anyway.
  target_session_attrs: /^(?:read-write|primary)$/,
};

/**
 * Asserts that verify's own connection honours every option: the library ignores some options silently, and passes
 * others on to the server.
 *
 * @throws UnusableTestbed
 */
export function assertHonoured(url: string): void {
  const [address = "", query = ""] = url.split("?", 2);
  const options = [...new URLSearchParams(query)];
  const several =
    /^[^/]*\/\/[^/]*,/.test(address) ||
    options.some(([name, value]) => name === "host" && value.includes(","));
  if (several) throw new UnusableTestbed("name one host of the database: its primary, which accepts writes.");
  for (const [index, [name, value]] of options.entries()) {
    const honoured = Object.hasOwn(HONOURED, name) ? HONOURED[name] : undefined;
    if (honoured?.test(value)) continue;
    // Neither an unknown name nor a value is shown: it may be the rest of a password with a ? in it.
    const what = honoured ? `this ${name}` : `option ${index + 1} after its ?`;
    throw new UnusableTestbed(
      `--database must not have ${what}: \`verify\` opens its own connections, which do not support it; ` +
        `it supports ${Object.keys(HONOURED).join(", ")}.`,
    );
  }
}
