import { Webhook } from "standardwebhooks";

/** `whsec_` and 32 bytes, for tests. */
export const SECRET = `whsec_${Buffer.alloc(32, "a secret of tests ").toString("base64")}`;

/** A delivery as its receiver got it. */
export interface Received {
  readonly id: string;
  readonly event: { readonly id: number; readonly type: string; readonly [member: string]: unknown };
  readonly body: string;
  readonly headers: Headers;
}

/** A receiver on a free port, which checks each signature with another project's library; gone with `using`. */
export interface Receiver extends Disposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Whether everything had a valid signature. */
  readonly isSound: boolean;
  /** The ids of the events, in the order of arrival. */
  ids(): number[];
}

/** @param respond gets each delivery and its number, from 1; 204 by default */
export function startReceiver(
  respond: (received: Received, number: number) => Response | Promise<Response> = () =>
    new Response(null, { status: 204 }),
): Receiver {
  const received: Received[] = [];
  const webhook = new Webhook(SECRET);
  let isSound = true;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const [body, { headers }] = [await request.text(), request];
      try {
        webhook.verify(body, Object.fromEntries(headers));
      } catch {
        isSound = false;
      }
      const one = { id: headers.get("webhook-id") ?? "", event: JSON.parse(body), body, headers };
      received.push(one);
      return respond(one, received.length);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hooks`,
    received,
    get isSound() {
      return isSound;
    },
    ids: () => received.map(({ event }) => event.id),
    [Symbol.dispose]: () => void server.stop(true),
  };
}
