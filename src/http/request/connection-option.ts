const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** Whether a request's `Connection` says that its response is the last (RFC 9112, section 9.6). */
export function asksToClose(connection: string | null): boolean {
  return connection !== null && connection !== "keep-alive" && CLOSE.test(connection);
}
