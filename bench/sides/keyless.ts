import type { Server } from "../server.ts";
import type { RunningSide } from "../side.ts";

/** A side without keys and cursors. */
export function keyless(server: Server): RunningSide {
  return {
    ...server,
    headers: { authorization: `Bearer as_live_${"0".repeat(36)}` },
    pagePath: () => {
      throw new Error("a server without cursors has no pages after an id");
    },
  };
}
