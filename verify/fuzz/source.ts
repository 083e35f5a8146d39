import type { Random } from "../random.ts";
import type { Model } from "./model.ts";

/** Two API keys of the service: with all scopes, and with `pets:read` alone. */
export interface Keys {
  readonly full: string;
  readonly reading: string;
}

/** What the requests of a client are made of: chance, what the model knows by now, and the API keys. */
export interface Source {
  readonly random: Random;
  readonly model: Model;
  readonly keys: Keys;
  /** Returns a text that no other client of the run has, and a new one each time. */
  unique(): string;
}
