import { type CallResponse, headerOf } from "./call.ts";

/** An Error of the service. */
interface Refusal {
  /** Empty if the response is not from the service itself. */
  readonly code: string;
  readonly message: string;
}

/** Transient failures in words for a user: the service's message tells a program to obey `Retry-After`. */
const TRANSIENT: Readonly<Record<string, string>> = {
  store_unavailable: "The service is running, but it cannot use its store at the moment.",
  overloaded: "The service has more requests than it can handle at the moment.",
  not_ready: "The service is running, but it is not ready at the moment.",
};

/** What a refusal says to a user. */
export function messageOf(response: CallResponse): string {
  const { code, message } = refusalOf(response);
  const requestId = headerOf(response, "x-request-id");
  const isUnexplained = code === "internal_error" && requestId !== undefined;
  return TRANSIENT[code] ?? (isUnexplained ? `${message} The request's id is \`${requestId}\`.` : message);
}

/** The Error that a response carries. A response of a proxy or of a network's sign-in page carries none. */
export function refusalOf({ status, body }: CallResponse): Refusal {
  try {
    const { code, message } = JSON.parse(body) as Partial<Refusal>;
    if (typeof code === "string" && typeof message === "string") return { code, message };
  } catch {
    // Not JSON, so not from the service itself.
  }
  return { code: "", message: answeredElsewhere(status) };
}

/** What a response that is not from the service itself says to a user. */
export function answeredElsewhere(status: number): string {
  return `Something between this page and the service answered with the status ${status}.`;
}
