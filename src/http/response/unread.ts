import { bytesOf, type Rendered } from "./rendered.ts";

/** The number of clients that may leave a response unread, whatever its size: the largest page has some 110 KB. */
const FEW = 64;
/** Bytes that unread responses may hold if each of them is as large as the next one. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Whether there is no room to hold a body until its client reads it. Responses share a Blob, so only others count. The
 * n-th client that does not read gets at most an n-th part of `UNREAD_MAX_BYTES`: 10,000 of them hold less than ten
 * times as much, and the kernel takes what is smaller than its buffers.
 *
 * @param unread responses that their clients have not taken yet
 */
export function isTooMuchUnread({ body }: Rendered, unread: number): boolean {
  if (unread <= FEW || body instanceof Blob) return false;
  return bytesOf(body) * unread > UNREAD_MAX_BYTES;
}
