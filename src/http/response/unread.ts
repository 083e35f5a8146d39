import { bytesOf, type HttpResponse } from "./http-response.ts";

/** The number of clients that may leave a response unread, whatever its size: the largest page has some 110 KB. */
const FEW = 64;
/** Bytes that unread responses may hold if each of them is as large as the next one. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024;
/** Bytes of refused bodies after which their garbage is collected. */
const COLLECT_EVERY_BYTES = 16 * 1024 * 1024;

/** Bounds what the service holds for clients that do not read their responses. */
export class UnreadLimit {
  /** Bytes of the bodies that were made and then refused since the last garbage collection that this class began. */
  #refusedBytes = 0;

  /**
   * Whether there is no room to hold a body until its client reads it. Responses share a Blob, so only other bodies
   * count. The n-th client that does not read gets at most an n-th part of `UNREAD_MAX_BYTES`: 10,000 of them hold less
   * than ten times as much, and the kernel takes what is smaller than its buffers.
   *
   * @param unread responses that their clients have not taken yet
   */
  refuses({ body }: HttpResponse, unread: number): boolean {
    if (unread <= FEW || body instanceof Blob) return false;
    const bytes = bytesOf(body);
    if (bytes * unread <= UNREAD_MAX_BYTES) return false;
    this.#collectGarbage(bytes);
    return true;
  }

  /**
   * Left alone, the runtime collects refused pages so late that a flood of 4,000 requests for pages of 107 KB took 250 to
   * 290 MB at its peak. Collected like this, it takes some 100 MB. A collection takes 20 to 40 ms, and making that many
   * pages 90 ms. Asynchronous collection does not help.
   */
  #collectGarbage(bytes: number): void {
    this.#refusedBytes += bytes;
    if (this.#refusedBytes <= COLLECT_EVERY_BYTES) return;
    this.#refusedBytes = 0;
    Bun.gc(true);
  }
}
