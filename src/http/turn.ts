/**
 * Requests in one turn: enough to share its cost, few enough that none waits long for the others. The largest 64 pages take
 * some 15 MB until they are rendered.
 */
const TURN_MAX = 64;
/** A turn with more requests than this is busy. */
const FEW = 4;
/** While turns are not busy, every so many requests one is measured: to see a turn's end costs as much as a system call. */
const MEASURE_EVERY = 16;
/** So many turns in a row with few requests are no longer busy. */
const QUIET_TURNS = 8;

/**
 * Collects the requests that arrive in one turn of the event loop, and has them handled together at its end: what it
 * costs to begin a read transaction, or to wake a client, is then spent once for all.
 *
 * Where few arrive in a turn they have nothing to share, and each is handled at once. That also spares a client that
 * pipelines: the runtime closes a connection on which a request arrives while another waits.
 */
export class Turn<Request> {
  readonly #run: (requests: readonly Request[]) => void;
  readonly #canRunAtOnce: boolean;
  #requests: Request[] = [];
  #isBusy: boolean;
  #quietTurns = QUIET_TURNS;
  /** Whether the turn's end is being waited for. */
  #isMeasured = false;
  /** Requests in this turn, where it is measured; requests since the last turn that was, where it is not. */
  #count = 0;

  /** @param canRunAtOnce whether a request waits for nothing but its turn */
  constructor(run: (requests: readonly Request[]) => void, canRunAtOnce: boolean) {
    this.#run = run;
    this.#canRunAtOnce = canRunAtOnce;
    this.#isBusy = !canRunAtOnce;
  }

  join(request: Request): void {
    this.#count++;
    if (!this.#isMeasured && (this.#isBusy || this.#count === MEASURE_EVERY)) this.#measure();
    this.#requests.push(request);
    if (!this.#isBusy || this.#requests.length === TURN_MAX) this.#runAll();
  }

  #measure(): void {
    this.#isMeasured = true;
    this.#count = 1;
    setImmediate(() => {
      this.#quietTurns = this.#count > FEW ? 0 : this.#quietTurns + 1;
      this.#isBusy = !this.#canRunAtOnce || this.#quietTurns < QUIET_TURNS;
      this.#isMeasured = false;
      this.#count = 0;
      this.#runAll();
    });
  }

  #runAll(): void {
    const requests = this.#requests;
    if (requests.length === 0) return;
    this.#requests = [];
    this.#run(requests);
  }
}
