import type { Acts, Witness } from "./acts.ts";
import { readJson } from "./read-json.ts";

/** The most requests that a sandbox shows at once. */
const PAGE = 1000;
const NUMBER = /\d+/g;

/** A request of the receiver, as the journal of a sandbox shows it. */
interface JournalRequest {
  readonly id: number;
  readonly target: string;
  readonly body: string | null;
}

/**
 * The journal of a sandbox that the receiver calls for each event: whatever it does there names the animal. It does not show
 * what a receiver holds, so the order of events is not judged by it.
 */
export class SandboxJournal implements Witness {
  readonly #control: string;
  readonly #key: string | undefined;
  readonly #numbers: (readonly string[])[] = [];
  #last = 0;

  /**
   * @param control the address of its control interface
   * @param key of the space that the receiver calls; without one, the first space
   */
  constructor(control: string, key: string | undefined) {
    this.#control = control;
    this.#key = key;
  }

  /** Whether the receiver has sent no request since it began. */
  get isEmpty(): boolean {
    return this.#numbers.length === 0;
  }

  /** Passes over what was asked before. */
  async begin(): Promise<void> {
    await this.#readOn();
    this.#numbers.length = 0;
  }

  async read(): Promise<Acts> {
    await this.#readOn();
    return {
      count: ({ told }) => this.#numbers.filter((numbers) => numbers.includes(`${told.animal}`)).length,
      areCalls: true,
      animals: this.#numbers.flat(),
      status: () => undefined,
    };
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const url = new URL(`${this.#control}/requests?limit=${PAGE}&after=${this.#last}`);
      const { requests } = ((await readJson(url, this.#key)) ?? {}) as {
        readonly requests?: readonly JournalRequest[];
      };
      if (!Array.isArray(requests)) throw new Error("it shows no journal, so it is no sandbox");
      for (const { id, target, body } of requests as readonly JournalRequest[]) {
        this.#last = id;
        this.#numbers.push(`${target} ${body ?? ""}`.match(NUMBER) ?? []);
      }
      if (requests.length < PAGE) return;
    }
  }
}
