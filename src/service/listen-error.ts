import { flagOf, type SettingName } from "../config/settings.ts";
import { CommandFailure } from "../process/errors.ts";

/** A setting and its value. */
type Given<Value> = readonly [name: SettingName, value: Value];

/** Turns the runtime's error when it cannot listen on a port into a message with advice. */
export async function listenError(
  error: unknown,
  [hostName, host]: Given<string>,
  [portName, port]: Given<number>,
): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  if (!code?.startsWith("E")) return error;
  // For a name that does not resolve, the runtime reports the code of any earlier error.
  if (code === "EADDRNOTAVAIL" || code === "EINVAL" || !(await resolves(host))) {
    return new CommandFailure(
      `${host} is not an address of this machine; name one with ${hostName} or --${flagOf(hostName)}, for example 127.0.0.1.`,
    );
  }
  if (code === "EADDRINUSE") {
    return new CommandFailure(
      `port ${port} on ${host} is in use; choose another with ${portName} or --${flagOf(portName)} (0 picks a free one).`,
    );
  }
  if (code === "EACCES")
    return new CommandFailure(`port ${port} on ${host} needs more rights; choose one above 1023.`);
  return new CommandFailure(`cannot listen on ${host}, port ${port}: ${code}.`);
}

async function resolves(host: string): Promise<boolean> {
  // Loading it takes 2 ms, which a start without a mistake need not pay.
  const { lookup } = await import("node:dns/promises");
  return lookup(host).then(
    () => true,
    () => false,
  );
}
