/** Printable ASCII without spaces. */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The client's own request id if it can be repeated in a header, else a new one (UUIDv7, RFC 9562). */
export function requestIdOf(given: string | null): string {
  return given !== null && ACCEPTABLE.test(given) ? given : Bun.randomUUIDv7();
}
