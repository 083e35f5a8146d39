import { isLoopback, withoutBrackets } from "../../relay/public-address.ts";
import { quote } from "../../src/domain/quote.ts";

/**
 * Why a sandbox may not deliver to an address, as the rest of a sentence; `undefined` if it may. It delivers to its own machine
 * alone, and only as long as nothing else reaches it. A client of the control interface chooses addresses, and sees responses: a
 * sandbox for others would show them what listens on its machine.
 *
 * @param listensOn the host on which the sandbox listens
 */
export function ruleAgainst(listensOn: string, { hostname }: URL): string | undefined {
  if (!isLocal(listensOn))
    return `is out of reach: others may use this sandbox, which listens on ${quote(listensOn)}, so it delivers nowhere; start it with \`--host 127.0.0.1\``;
  return isLocal(withoutBrackets(hostname))
    ? undefined
    : "is out of reach: a sandbox delivers to its own machine alone (localhost or 127.0.0.1); let a program there pass on to another what comes";
}

function isLocal(host: string): boolean {
  return host === "localhost" || isLoopback(host);
}
