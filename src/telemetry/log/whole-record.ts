/** The most that Linux's pipes take as one piece, in bytes (POSIX, PIPE_BUF; pipe(7)). */
export const PIPE_BUF = 4096;

/** To how many characters the strings of a record are cut, one after the other, until it fits. */
const CUTS = [1024, 512, 256, 128, 64, 32];

/**
 * A JSON line that a pipe takes as one piece: writes of several processes to one pipe are then never mixed. Only errors
 * with long stacks are longer; their strings are cut.
 */
export function wholeRecord(line: string): string {
  if (Buffer.byteLength(line) <= PIPE_BUF) return line;
  const record = JSON.parse(line) as Record<string, unknown>;
  for (const cut of CUTS) {
    const shorter = `${JSON.stringify(record, (_, value) => (typeof value === "string" ? shorten(value, cut) : value))}\n`;
    if (Buffer.byteLength(shorter) <= PIPE_BUF) return shorter;
  }
  const { level, time, environment, worker, msg } = record;
  return `${JSON.stringify({ level, time, environment, worker, msg: shorten(String(msg), 512) })}\n`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
