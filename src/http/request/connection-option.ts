const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** Whether a `Connection` asks to close the connection after the response (RFC 9112, section 9.6). */
export function asksToClose(connection: string | null): boolean {
  return connection !== null && connection !== "keep-alive" && CLOSE.test(connection);
}
