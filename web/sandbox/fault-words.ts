/** A refusal that an operation declares. */
const declared = (title: string) => ({
  title,
  text: "The operation's own Error with this status. Nothing is done.",
});

/** A delivery that its receiver must refuse. */
const wrong = (title: string, what: string) => ({ title, text: `A webhook has a ${what}.` });

/** Each fault in plain words: what it is called, and what happens. */
export const FAULT_WORDS: Readonly<Record<string, { readonly title: string; readonly text: string }>> = {
  "400": declared("Refuse as invalid"),
  "401": declared("Refuse the API key"),
  "403": declared("Refuse for lack of a scope"),
  "404": declared("Find nothing"),
  "409": declared("Refuse as a conflict"),
  "410": declared("Refuse as removed"),
  "412": declared("Refuse as changed meanwhile"),
  "413": declared("Refuse as too large"),
  "415": declared("Refuse the media type"),
  "422": declared("Refuse a reused idempotency key"),
  "408": {
    title: "A proxy waits in vain",
    text: "A proxy's page: it has waited for the request for too long. Nothing is done.",
  },
  "429": { title: "Rate limit", text: "The Error rate_limited, with Retry-After. Nothing is done." },
  "500": { title: "Internal error", text: "The Error internal_error. Nothing is done." },
  "502": {
    title: "A proxy without a service",
    text: "A proxy's page: it does not reach the service. Nothing is done.",
  },
  "503": { title: "Overload", text: "The Error overloaded, with Retry-After. Nothing is done." },
  "504": {
    title: "An impatient proxy",
    text: "A proxy's page, which comes before the response. The request is carried out.",
  },
  reset: { title: "Reset the connection", text: "The connection breaks before a response. Nothing is done." },
  lost: {
    title: "Lose the response",
    text: "The request is carried out, and the connection closes without a response.",
  },
  cut: {
    title: "Cut the response",
    text: "The request is carried out, and the connection closes in the middle of the response.",
  },
  delay: { title: "Delay", text: "The request is carried out after a delay." },
  slow: { title: "Slow response", text: "The response arrives in small pieces, with a delay between them." },
  malformed_json: {
    title: "Break the JSON",
    text: "The request is carried out, and the response's JSON ends in its middle.",
  },
  wrong_content_type: {
    title: "Claim to be HTML",
    text: "The request is carried out, and the response claims to be HTML.",
  },
  empty_body: { title: "Empty the body", text: "The request is carried out, and the response has no body." },
  rounded_id: {
    title: "Round large integers",
    text: "Integers beyond 2^53 are rounded, as by a proxy that reads JSON as JavaScript does.",
  },
  expired_cursor: { title: "Expire the cursor", text: "The cursor of a list is refused as expired." },
  stream_pause: { title: "Pause the stream", text: "A stream pauses after its first event." },
  stream_repeat: { title: "Repeat events", text: "A stream sends each event twice." },
  delivery_twice: { title: "Deliver twice", text: "A webhook is posted twice." },
  delivery_late: { title: "Deliver late", text: "A webhook arrives after a delay; those behind it wait." },
  delivery_swapped: { title: "Swap deliveries", text: "A webhook arrives after the next one." },
  delivery_wrong_signature: wrong("Sign wrongly", "signature of a key that nobody has"),
  delivery_old_signature: wrong("Sign with the former secret", "signature of the secret before"),
  delivery_old_timestamp: wrong("Deliver what is old", "timestamp of yesterday"),
  delivery_changed_body: wrong("Change the body", "body with a byte that was not signed"),
  delivery_cut: { title: "Cut a delivery", text: "The connection closes in the middle of a webhook." },
  delivery_slow: { title: "Slow delivery", text: "A webhook arrives in small pieces." },
};
