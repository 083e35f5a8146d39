import type { ApiKey } from "../domain/api-key.ts";
import { Cursors } from "../domain/cursor.ts";
import { andThen, type Eventual } from "../domain/eventual.ts";
import { Failure } from "../domain/failure.ts";
import { KeysChanged, type Store } from "../domain/store.ts";
import type { Answer } from "../operations/operation.ts";
import type { Remembered } from "./authenticate.ts";
import { guardedStore } from "./guarded-store.ts";
import { readBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import type { Route } from "./routes.ts";

/** What an operation takes of a request. */
export interface Input {
  readonly body: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Has operations do their work. */
export class Performer {
  readonly #store: Store;
  readonly #cursors: Cursors;

  constructor(store: Store, cursorSecret: Uint8Array) {
    this.#store = store;
    this.#cursors = new Cursors(cursorSecret);
  }

  /** What the operation needs of a request: its body first, then its parameters. */
  read(request: Request, route: Route): Eventual<Input | Failure> {
    const { body } = route.operation;
    const withBody = (body: unknown): Input | Failure => {
      if (body instanceof Failure) return body;
      const parameters = readParameters(route, request.headers);
      return parameters instanceof Failure ? parameters : { body, parameters };
    };
    return body ? andThen(readBody(request, body), withBody) : withBody(undefined);
  }

  run({ operation }: Route, caller: ApiKey, input: Input | Failure): Eventual<Answer | Failure> {
    if (input instanceof Failure) return input;
    return operation.run({ store: this.#store, cursors: this.#cursors }, { caller, ...input });
  }

  /** The same for a caller whose key is only presumed to be good still: the store sees to it where it writes. */
  async runAhead(
    { operation }: Route,
    { key, asOf }: Remembered,
    reading: Eventual<Input | Failure>,
  ): Promise<Answer | Failure | "keys_changed"> {
    try {
      const input = reading instanceof Promise ? await reading : reading;
      if (input instanceof Failure) return input;
      const context = { store: guardedStore(this.#store, asOf), cursors: this.#cursors };
      return await operation.run(context, { caller: key, ...input });
    } catch (error) {
      if (error instanceof KeysChanged) return "keys_changed";
      throw error;
    }
  }
}
