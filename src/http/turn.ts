/**
 * The most requests in one turn: enough to share its cost, and few enough that none waits long for the others. The 64
 * largest pages take some 15 MB until they are rendered.
 */
const TURN_MAX = 64;
/** A turn with more requests than this is busy. */
const FEW = 4;
/** While turns are not busy, one request in this many has its turn measured: noticing the end of a turn costs a system call. */
const MEASURE_EVERY = 16;
/** After this many turns in a row with few requests, turns are no longer busy. */
const QUIET_TURNS = 8;

/**
 * Collects the requests that arrive in one turn of the event loop, and runs them together at its end. They share the cost
 * of beginning a read transaction and of waking the store's client.
 *
 * While few requests arrive in a turn, they have nothing to share, and each runs at once. Clients that pipeline need
 * that: the runtime closes a connection on which a request arrives while another one waits.
 */
export class Turn<Request> {
  readonly #run: (requests: readonly Request[]) => void;
  readonly #canRunAtOnce: boolean;
  #requests: Request[] = [];
  #isBusy: boolean;
  #quietTurns = QUIET_TURNS;
  /** Whether the end of this turn is awaited. */
  #isMeasured = false;
  /** Requests in this turn if it is measured, else requests since the last turn that was. */
  #count = 0;

  /** @param canRunAtOnce whether requests need not wait for a turn, since the store replies at once */
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
