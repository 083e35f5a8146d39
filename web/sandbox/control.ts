/** The control interface of this sandbox, which is above this page. */
const BASE = new URL(".", document.baseURI).href.slice(0, -1);

/** A request that was refused, in the sandbox's words, or that had no answer. */
export class Refusal extends Error {
  /** @param status 0 if there was no answer */
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Sends a request to the control interface.
 *
 * @param path below `/_sandbox`
 * @param key of the space that is meant; if empty, the first space is
 * @throws Refusal
 */
export async function ask<Result>(key: string, method: string, path: string, body?: object): Promise<Result> {
  const headers = {
    ...(key && { Authorization: `Bearer ${key}` }),
    ...(body && { "Content-Type": "application/json" }),
  };
  const response = await fetch(BASE + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refusal(0, "The sandbox does not answer: it may have ended.");
  });
  const text = await response.text();
  if (response.ok) return (text ? JSON.parse(text) : undefined) as Result;
  throw new Refusal(
    response.status,
    messageOf(text) ?? `The sandbox answered with the status ${response.status}.`,
  );
}

function messageOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message;
  } catch {
    return undefined;
  }
}

export interface Key {
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly state: "valid" | "expired" | "revoked";
}

export interface Space {
  readonly space: string;
  readonly keys: readonly Key[];
}

/** A planned fault: its members, and the ids of the requests that met it. */
export type PlannedFault = Readonly<Record<string, string | number | readonly number[] | object>>;

export interface SpaceState extends Space {
  readonly now: string;
  readonly frozen: boolean;
  readonly faults: readonly PlannedFault[];
}

export interface JournalMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly bodyIsWhole: boolean;
}

export interface JournalRequest extends JournalMessage {
  readonly id: number;
  /** When it arrived, by the real clock. */
  readonly at: string;
  /** Milliseconds since the journal began. */
  readonly elapsedMs: number;
  readonly method: string;
  readonly target: string;
  readonly operation: string | null;
  readonly key: string | null;
  readonly fault: { readonly fault: string } | null;
  readonly response: (JournalMessage & { readonly status: number; readonly elapsedMs: number }) | null;
}

/** An address that gets the events of a space. */
export interface DeliveryTarget {
  readonly target: number;
  readonly url: string;
  readonly secret: string;
  /** Why it gets no more, if it does not. */
  readonly ended: string | null;
}

/** An attempt to deliver an event. */
export interface Delivery {
  readonly id: number;
  readonly target: number;
  readonly event: string;
  readonly eventId: number;
  readonly attempt: number;
  readonly fault: { readonly fault: string } | null;
  /** When it left, by the real clock. */
  readonly at: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly outcome: "delivered" | "failed" | "dropped" | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly response: (JournalMessage & { readonly status: number }) | null;
}
