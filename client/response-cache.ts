/** A response's body, with the `ETag` that says whether it is still good. */
export interface CachedResponse {
  readonly etag: string;
  readonly text: string;
  readonly link: string | null;
}

/** The latest response bodies by address, bounded in characters. They are kept as text, so that no caller can change them. */
export class ResponseCache {
  readonly #max: number;
  readonly #entries = new Map<string, CachedResponse>();
  #size = 0;

  constructor(maxCharacters: number) {
    this.#max = maxCharacters;
  }

  get(url: string): CachedResponse | undefined {
    return this.#entries.get(url);
  }

  put(url: string, response: CachedResponse): void {
    this.#delete(url);
    const size = sizeOf(url, response);
    if (size > this.#max) return;
    this.#entries.set(url, response);
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#max) break;
      this.#delete(oldest);
    }
  }

  #delete(url: string): void {
    const entry = this.#entries.get(url);
    if (entry && this.#entries.delete(url)) this.#size -= sizeOf(url, entry);
  }
}

/** In characters. An entry costs some hundred bytes in addition to its text. */
function sizeOf(url: string, { text, etag, link }: CachedResponse): number {
  return 200 + url.length + text.length + etag.length + (link?.length ?? 0);
}
