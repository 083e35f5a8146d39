/** Time between two questions. */
const ASK_EVERY_MS = 1000;

/**
 * How many questions may stay unanswered. Questions are counted rather than timed: the clock may run on while the whole
 * machine sleeps, but then nobody asks.
 */
const UNANSWERED_MAX = 10;

/** Asks a peer regularly whether it is alive, and reports when it has not answered for long. */
export class Heartbeat {
  readonly #ask: () => void;
  readonly #onSilence: (seconds: number) => void;
  #unanswered = 0;
  #timer: Timer | undefined;

  /**
   * @param ask sends one question; it may skip while an earlier one is still on its way
   * @param onSilence called once, with how long the peer has been silent; the heartbeat then stops
   */
  constructor(ask: () => void, onSilence: (seconds: number) => void) {
    this.#ask = ask;
    this.#onSilence = onSilence;
  }

  start(): void {
    // A timer per question: after a pause of this process one question is due, rather than all that it missed.
    this.#timer = setTimeout(() => this.#beat(), ASK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** To be called whenever the peer answers. */
  answered(): void {
    this.#unanswered = 0;
  }

  #beat(): void {
    if (this.#unanswered === UNANSWERED_MAX) {
      this.#onSilence((UNANSWERED_MAX * ASK_EVERY_MS) / 1000);
      return;
    }
    this.#unanswered++;
    this.#ask();
    this.start();
  }
}
