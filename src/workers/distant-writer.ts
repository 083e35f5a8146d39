import type { Animal, NewAnimal, Status } from "../domain/animal.ts";
import { StoreFailure } from "../domain/failure.ts";
import type { Retry } from "../domain/retry.ts";
import type { Added, Store } from "../domain/store.ts";

/** A create as it is sent to the one who writes: int64s are strings. */
export type SentCreate = readonly [
  name: string,
  categoryId: string,
  status: Status,
  ...retry: readonly [] | readonly [owner: number, key: string, digest: string],
];

/** What became of a create: its animal's id, that its key was used for another, or why it failed. */
export type SentOutcome = string | { readonly reused: true } | SentFailure;

interface SentFailure {
  /** That of a `StoreFailure`; absent where the cause is a mistake of ours. */
  readonly code?: StoreFailure["code"];
  readonly message: string;
}

/** What became of several: they got consecutive ids from one on, or each has its own outcome. */
export type SentOutcomes = { readonly first: string } | { readonly each: readonly SentOutcome[] };

interface Waiting {
  readonly animal: NewAnimal;
  readonly retry: Retry | undefined;
  readonly resolve: (added: Added) => void;
  readonly reject: (reason: unknown) => void;
}

/** Creates of one worker that may wait at once; before that, the one who writes has too many already. */
const WAITING_MAX = 20_000;

/** What is asked of the one who writes, with a number that the answer bears. */
export type Request =
  | { readonly kind: "create"; readonly request: number; readonly creates: readonly SentCreate[] }
  | { readonly kind: "check_writing"; readonly request: number };

/** What came of a request. */
export type Answer =
  | { readonly kind: "created"; readonly request: number; readonly outcomes: SentOutcomes }
  | { readonly kind: "checked"; readonly request: number; readonly failure?: SentFailure | undefined };

/**
 * The writer of a worker: another process, which writes for all workers. So they share transactions and syncs,
 * and nobody contends for the store's lock.
 */
export class DistantWriter {
  readonly #send: (request: Request) => void;
  /** Those of this turn of the event loop. */
  #turn: Waiting[] = [];
  readonly #sent = new Map<number, readonly Waiting[]>();
  readonly #checks = new Map<number, (failure: SentFailure | undefined) => void>();
  #whenIdle: (() => void) | undefined;
  #requests = 0;
  #waiting = 0;

  constructor(send: (request: Request) => void) {
    this.#send = send;
  }

  add(animal: NewAnimal, retry?: Retry): Promise<Added> {
    if (this.#waiting >= WAITING_MAX) {
      return Promise.reject(new StoreFailure("overloaded", `${WAITING_MAX} creates of this worker wait`));
    }
    this.#waiting++;
    return new Promise((resolve, reject) => {
      // Requests that have already arrived are read first, so that they go together.
      if (this.#turn.length === 0) setImmediate(() => this.#sendTurn());
      this.#turn.push({ animal, retry, resolve, reject });
    });
  }

  #sendTurn(): void {
    const creates = this.#turn;
    this.#turn = [];
    const request = this.#requests++;
    this.#sent.set(request, creates);
    this.#send({ kind: "create", request, creates: creates.map(sentCreate) });
  }

  /** Resolves when the one who writes can; rejects with a `StoreFailure` otherwise. */
  async check(): Promise<void> {
    const request = this.#requests++;
    const checked = new Promise<SentFailure | undefined>((resolve) => this.#checks.set(request, resolve));
    this.#send({ kind: "check_writing", request });
    const failure = await checked;
    if (failure) throw errorOf(failure);
  }

  /** Resolves when everything that waits has been answered. */
  async close(): Promise<void> {
    if (this.#waiting === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** Tells what came of a request. */
  settle(answer: Answer): void {
    const { request } = answer;
    if (answer.kind === "created") {
      this.#settleCreates(this.#sent.get(request) ?? [], answer.outcomes);
      this.#sent.delete(request);
    } else {
      this.#checks.get(request)?.(answer.failure);
      this.#checks.delete(request);
    }
  }

  #settleCreates(creates: readonly Waiting[], outcomes: SentOutcomes): void {
    this.#waiting -= creates.length;
    let id = "first" in outcomes ? BigInt(outcomes.first) : 0n;
    for (const [at, { animal, resolve, reject }] of creates.entries()) {
      const outcome = "first" in outcomes ? id++ : outcomes.each[at];
      if (typeof outcome === "bigint" || typeof outcome === "string") {
        resolve({ id: BigInt(outcome), ...animal });
      } else if (outcome !== undefined && "reused" in outcome) resolve("key_reused");
      else reject(errorOf(outcome));
    }
    if (this.#waiting === 0) this.#whenIdle?.();
  }
}

/** Does for a worker what it has asked for. */
export async function writeFor(
  store: Pick<Store, "addAnimal" | "checkWriting">,
  request: Request,
): Promise<Answer> {
  if (request.kind === "create") {
    return { kind: "created", request: request.request, outcomes: await addAll(store, request.creates) };
  }
  const failure = await store.checkWriting().then(() => undefined, sentFailure);
  return { kind: "checked", request: request.request, failure };
}

async function addAll(
  store: Pick<Store, "addAnimal">,
  creates: readonly SentCreate[],
): Promise<SentOutcomes> {
  const adding = creates.map(([name, categoryId, status, owner, key, digest]) => {
    const retry = owner === undefined || !key || !digest ? undefined : { owner, key, digest };
    return store.addAnimal({ name, categoryId: BigInt(categoryId), status }, retry);
  });
  const settled = await Promise.allSettled(adding);
  const first = firstOfConsecutive(settled);
  return first === undefined ? { each: settled.map(sentOutcome) } : { first: first.toString() };
}

function firstOfConsecutive(settled: readonly PromiseSettledResult<Added>[]): bigint | undefined {
  const first = idOf(settled[0]);
  if (first === undefined) return undefined;
  return settled.every((each, at) => idOf(each) === first + BigInt(at)) ? first : undefined;
}

function idOf(settled: PromiseSettledResult<Added> | undefined): bigint | undefined {
  return settled?.status === "fulfilled" ? (settled.value as Animal).id : undefined;
}

function sentCreate({ animal: { name, categoryId, status }, retry }: Waiting): SentCreate {
  return retry
    ? [name, categoryId.toString(), status, retry.owner, retry.key, retry.digest]
    : [name, categoryId.toString(), status];
}

function sentOutcome(settled: PromiseSettledResult<Added>): SentOutcome {
  if (settled.status === "rejected") return sentFailure(settled.reason);
  return settled.value === "key_reused" ? { reused: true } : settled.value.id.toString();
}

function sentFailure(error: unknown): SentFailure {
  return error instanceof StoreFailure
    ? { code: error.code, message: error.message }
    : { message: String(error) };
}

function errorOf({ code, message }: SentFailure = { message: "no outcome came" }): Error {
  return code ? new StoreFailure(code, message) : new Error(message);
}
