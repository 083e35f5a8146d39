/** The progress of a relay. */
export interface Position {
  /**
   * Where the feed continues: the cursor of the service's own link, which no other store accepts. At and after it stands
   * every event that is not delivered.
   */
  readonly cursor: string;
  /** The last event that was delivered or passed over; `undefined` if there was none. */
  readonly event: bigint | undefined;
}

/** Tells the file of a position from other files. */
const KIND = "animal-store relay";

export function writePosition({ cursor, event }: Position): string {
  return `${JSON.stringify({ kind: KIND, cursor, ...(event !== undefined && { event: `${event}` }) })}\n`;
}

/** Returns `undefined` if the text is not a position that a relay has written. */
export function readPosition(text: string): Position | undefined {
  try {
    const { kind, cursor, event } = JSON.parse(text);
    if (kind !== KIND || typeof cursor !== "string" || !cursor) return undefined;
    if (event === undefined) return { cursor, event };
    return typeof event === "string" && /^[0-9]{1,19}$/.test(event)
      ? { cursor, event: BigInt(event) }
      : undefined;
  } catch {
    return undefined;
  }
}
