/** How often a worker is asked whether it goes on. */
const ASK_EVERY_MS = 1000;

/**
 * One that has not answered by the time that so many more questions are due hangs. They are counted, not timed:
 * while the whole machine sleeps the clock may go on, but nobody asks. A worker that is only busy answers between
 * two requests.
 */
const MISSED_MAX = 10;

/** Asks again and again, from its start on, until there is no answer for long. */
export class Heartbeat {
  readonly #ask: () => void;
  readonly #onSilence: (why: string) => void;
  #answered = true;
  #missed = 0;
  #timer: Timer | undefined;

  constructor(ask: () => void, onSilence: (why: string) => void) {
    this.#ask = ask;
    this.#onSilence = onSilence;
  }

  start(): void {
    // Each time anew: after a pause of this process there is one question, not all that were due.
    this.#timer = setTimeout(() => this.#beat(), ASK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  answered(): void {
    this.#answered = true;
  }

  #beat(): void {
    this.#missed = this.#answered ? 0 : this.#missed + 1;
    if (this.#missed === MISSED_MAX) {
      this.#onSilence(`it did not answer for ${(MISSED_MAX * ASK_EVERY_MS) / 1000} s`);
      return;
    }
    if (this.#answered) {
      this.#answered = false;
      this.#ask();
    }
    this.start();
  }
}
