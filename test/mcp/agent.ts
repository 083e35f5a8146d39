import { offerOf } from "../../mcp/offer.ts";
import { serveLines } from "../../mcp/serve.ts";
import { Session } from "../../mcp/session.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type Json = any;

/** An agent of a service, which sends lines and reads lines, as over standard input and output. */
interface Agent {
  /** Sends texts as lines, ends the input, and reads every response. */
  exchange(...lines: readonly (string | Uint8Array)[]): Promise<Json[]>;
  /** Sends one request after a handshake. The params may be text, for JSON that no value stands for. */
  request(method: string, params?: object | string): Promise<Json>;
  /** Calls a tool; the arguments may be text. */
  call(name: string, given?: object | string): Promise<Json>;
}

export const HANDSHAKE = JSON.stringify({
  jsonrpc: "2.0",
  id: "handshake",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

/** @param address of the service, without `/v1` */
export async function startAgent(
  { address, key }: { readonly address: string; readonly key: string },
  readOnly = false,
): Promise<Agent> {
  const offer = await offerOf({ baseUrl: `${address}/v1`, apiKey: key, readOnly, agent: "test" });
  const converse = async (lines: readonly (string | Uint8Array)[], awaited?: number) => {
    const responses: Json[] = [];
    const { promise: hasCome, resolve } = Promise.withResolvers<void>();
    async function* input() {
      for (const line of lines) {
        yield typeof line === "string" ? new TextEncoder().encode(line) : line;
        yield new TextEncoder().encode("\n");
      }
      if (awaited !== undefined) await hasCome;
    }
    const write = async (text: string) => {
      if (text.includes(key)) throw new Error("a line has the API key");
      if (!/^[^\n]+\n$/.test(text)) throw new Error("a message must be one line");
      const response = JSON.parse(text);
      responses.push(response);
      if (response.id === awaited) resolve();
    };
    await serveLines(input(), write, new Session(offer, "1.2.3"), key);
    return responses;
  };
  const request: Agent["request"] = async (method, params = {}) => {
    const text = typeof params === "string" ? params : JSON.stringify(params);
    const line = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${text}}`;
    return (await converse([HANDSHAKE, line], 1)).find(({ id }) => id === 1);
  };
  return {
    exchange: (...lines) => converse(lines),
    request,
    call: (name, given = {}) => {
      const text = typeof given === "string" ? given : JSON.stringify(given);
      return request("tools/call", `{"name":${JSON.stringify(name)},"arguments":${text}}`);
    },
  };
}
