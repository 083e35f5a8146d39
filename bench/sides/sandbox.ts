import { HERE, programOf } from "../program.ts";
import { startServer } from "../server.ts";
import type { RunningSide, Side, Start } from "../side.ts";

/** A sandbox as it starts, with animals in memory. */
export const SANDBOX: Side = {
  name: "animal-store sandbox",
  kind: "ours",
  likeness: "shape",
  checksKeys: true,
  async start({ folder, animals }: Start): Promise<RunningSide> {
    const command = [programOf(HERE), "sandbox", "--port", "0", "--animals", `${animals}`];
    const server = await startServer(command, { folder });
    const response = await fetch(`${server.address}/_sandbox`);
    const { keys } = (await response.json()) as { keys: { key: string }[] };
    return {
      ...server,
      headers: { authorization: `Bearer ${keys[0]?.key}` },
      pagePath() {
        throw new Error("the secret of a sandbox's cursors is in its memory alone");
      },
    };
  },
};
