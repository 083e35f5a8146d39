/**
 * As many as other clients send at once, httpx and aiohttp for example. With more, each takes longer, since all wait for the
 * same processor; and Node opens a connection for each.
 */
const AT_ONCE = 100;

/** Bounds the requests that a client has under way. The others wait for their turns, in the order in which they came. */
export class Turns {
  #free = AT_ONCE;
  readonly #waiting = new Set<() => void>();

  /** Takes a turn if one is free. Returns whether it did: if not, the request has to `wait`. */
  take(): boolean {
    return this.#free > 0 && this.#free-- > 0;
  }

  /** Waits for a turn and takes it. A turn that comes as the signal aborts goes to the next. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      signal.onabort = () => this.#waiting.delete(resolve) || this.end();
    });
  }

  /** Ends a turn. */
  end(): void {
    // Mostly none waits, and an iterator costs more than the rest of a turn.
    const [next] = this.#waiting.size ? this.#waiting : [];
    if (!next) this.#free++;
    else if (this.#waiting.delete(next)) next();
  }
}
