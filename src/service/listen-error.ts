import { CommandFailure } from "../cli/errors.ts";
import { flagOf, type SettingName } from "../config/settings.ts";

/** A setting and its value. */
type Given<Value> = readonly [name: SettingName, value: Value];

/** Turns the runtime's error when it cannot listen on a port into a message with advice. */
export function listenError(
  error: unknown,
  [hostName, host]: Given<string>,
  [portName, port]: Given<number>,
): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  // Port 0 cannot be taken: with it, the runtime reports a host name that does not resolve as EADDRINUSE.
  if (code === "EADDRINUSE" && port !== 0) {
    return new CommandFailure(
      `port ${port} on ${host} is in use; choose another with ${portName} or --${flagOf(portName)} (0 picks a free one).`,
    );
  }
  if (code === "EACCES")
    return new CommandFailure(`port ${port} on ${host} needs more rights; choose one above 1023.`);
  if (code === "EADDRNOTAVAIL" || code === "EINVAL" || code === "EADDRINUSE") {
    return new CommandFailure(
      `${host} is not an address of this machine; choose one that is with ${hostName} or --${flagOf(hostName)}, for example 127.0.0.1.`,
    );
  }
  if (code?.startsWith("E")) return new CommandFailure(`cannot listen on ${host}, port ${port}: ${code}.`);
  return error;
}
