/** A cursor is valid only for the list and the filter that it was issued for. */
interface CursorScope {
  readonly list: string;
  readonly filter: string;
}

const ID_BYTES = 8;
const SIGNATURE_BYTES = 16;
/** These 24 bytes in base64url. The decoder would skip other characters. */
const CURSOR = /^[A-Za-z0-9_-]{32}$/;

/**
 * Issues and reads the opaque cursors of list pages. A cursor holds the last id that the client has seen, and the first
 * half of an HMAC-SHA-256 over that id and the scope (RFC 2104 allows truncation to half). Together these are 24 bytes, so
 * base64url (RFC 4648, section 5) has no spare bits that could be changed unnoticed.
 */
export class Cursors {
  /** Has the key already and is copied for each use, since setting the key costs as much as signing. */
  readonly #hmac: Bun.CryptoHasher;

  /** @param secret the same for all instances and after restarts */
  constructor(secret: Uint8Array) {
    this.#hmac = new Bun.CryptoHasher("sha256", secret);
  }

  issue(after: bigint, scope: CursorScope): string {
    return this.#bytesOf(after, scope).toString("base64url");
  }

  /** The id after which the page starts; `undefined` if the cursor was not issued here for this scope. */
  read(cursor: string, scope: CursorScope): bigint | undefined {
    if (!CURSOR.test(cursor)) return undefined;
    const given = Buffer.from(cursor, "base64url");
    const after = given.readBigInt64BE();
    return crypto.timingSafeEqual(given, this.#bytesOf(after, scope)) ? after : undefined;
  }

  #bytesOf(after: bigint, { list, filter }: CursorScope): Buffer {
    const bytes = Buffer.alloc(ID_BYTES + SIGNATURE_BYTES);
    bytes.writeBigInt64BE(after);
    const signed = JSON.stringify([list, filter, after.toString()]);
    this.#hmac.copy().update(signed).digest().copy(bytes, ID_BYTES, 0, SIGNATURE_BYTES);
    return bytes;
  }
}
