/**
 * Whether an `Accept` (RFC 9110, section 12.5.1) prefers server-sent events to JSON. It must name `text/event-stream`.
 * If it gives JSON the same weight, the client gets JSON.
 */
export function prefersEventStream(accept: string | null): boolean {
  if (accept === null || !/text\/event-stream/i.test(accept)) return false;
  const weights = new Map(accept.split(",").map(weightOf));
  const stream = weights.get("text/event-stream") ?? 0;
  const json = weights.get("application/json") ?? weights.get("application/*");
  if (stream === 0) return false;
  return json === undefined ? stream >= (weights.get("*/*") ?? 0) : stream > json;
}

/** A media range and its weight; a weight that is not a number counts as 0. */
function weightOf(item: string): [range: string, weight: number] {
  const [range = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith("q="));
  return [range, given === undefined ? 1 : Number(given.slice("q=".length)) || 0];
}
