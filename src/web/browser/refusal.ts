import type { CallResponse } from "./call.ts";

/** An Error of the service. */
export interface Refusal {
  /** Empty where the response is not from the service itself. */
  readonly code: string;
  readonly message: string;
}

/** The Error that a response carries; what a proxy or a sign-in page of a network answers carries none. */
export function refusalOf({ status, body }: CallResponse): Refusal {
  try {
    const { code, message } = JSON.parse(body) as Partial<Refusal>;
    if (typeof code === "string" && typeof message === "string") return { code, message };
  } catch {
    // Not JSON, so not from the service itself.
  }
  return { code: "", message: `Something on the way answered with the status ${status}.` };
}
