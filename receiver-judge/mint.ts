import { DIGEST_LENGTH } from "../relay/message.ts";
import type { Secret } from "../relay/secrets.ts";
import { wireOf } from "../relay/wire.ts";
import type { Delivery, Told } from "./delivery.ts";

/** Chance that a seed decides. */
interface Chance {
  /** A whole number from 0, below a limit. */
  readonly below: (limit: number) => number;
  bytes(length: number): Buffer;
}

/** What a judge was given. */
interface Given {
  /** The secret of the receiver, and during a rotation its other one. */
  readonly secrets: readonly Secret[];
  /** A secret that it must have forgotten. */
  readonly retired: Secret | undefined;
  readonly chance: Chance;
  /** `User-Agent`: the same for right and wrong deliveries. */
  readonly agent: string;
}

/** What an event says, and how it is written. */
interface Wording {
  readonly type?: string;
  readonly status?: string;
  readonly animal?: bigint;
  /** Members that no receiver knows, as JSON: `,"weight":12`. */
  readonly more?: string;
  readonly moreOfAnimal?: string;
}

/** An event as it is to be delivered. */
export interface Minted {
  readonly id: string;
  readonly told: Told;
  readonly body: string;
}

/** How a delivery is signed. */
interface Signing {
  /** The current secret, unless it is said. */
  readonly secrets?: readonly Secret[];
  /** Seconds from now. */
  readonly ahead?: number;
}

/** Events of a run are numbered from the time on: above those of earlier runs, and below 2^53. */
const EVENTS_EACH_MS = 1000;
/** Animals of a run begin anywhere below this: a receiver knows none of them. */
const ANIMALS_MAX = 2 ** 31;

/** Makes events that no receiver has seen, and deliveries of them, right ones until something is changed. */
export class Mint {
  readonly chance: Chance;
  readonly retired: Secret | undefined;
  readonly current: Secret;
  /** The other secret of a rotation. */
  readonly other: Secret | undefined;
  readonly #agent: string;
  #event = BigInt(Date.now() * EVENTS_EACH_MS);
  #animal: bigint;

  constructor({ secrets, retired, chance, agent }: Given) {
    [this.current, this.other] = secrets as [Secret, Secret?];
    this.retired = retired;
    this.chance = chance;
    this.#agent = agent;
    this.#animal = BigInt(1 + chance.below(ANIMALS_MAX));
  }

  /** An event about a new animal. */
  event({
    type = "animal.created",
    status = "available",
    animal,
    more = "",
    moreOfAnimal = "",
  }: Wording = {}): Minted {
    const told = { event: ++this.#event, animal: animal ?? ++this.#animal, status };
    const at = new Date().toISOString();
    const name = ["Rex", "Luna", "Bello", "Größe 🐕"][this.chance.below(4)];
    const body = `{"id":${told.event},"type":"${type}","at":"${at}","animal":{"id":${told.animal},"name":"${name}","categoryId":${1 + this.chance.below(99)},"status":"${status}"${moreOfAnimal}}${more}}`;
    return { id: this.idOf(told.event), told, body };
  }

  /** A `webhook-id` that nobody can foresee. */
  idOf(event: bigint): string {
    return `evt_${event}_${this.chance.bytes(DIGEST_LENGTH / 2).toString("hex")}`;
  }

  /** A secret that nobody knows. */
  secret(): Secret {
    return this.chance.bytes(this.current.length);
  }

  /** A delivery as a relay would make it. */
  delivery(
    { id, told, body }: Minted = this.event(),
    { secrets = [this.current], ahead = 0 }: Signing = {},
  ): Delivery {
    const now = Date.now() + ahead * 1000;
    return { id, told, ...wireOf({ id, body }, { secrets, now, agent: this.#agent }) };
  }
}

/** A delivery with other headers; an `undefined` header is left out. */
export function withHeaders(
  delivery: Delivery,
  headers: Readonly<Record<string, string | undefined>>,
): Delivery {
  const merged = Object.entries({ ...delivery.headers, ...headers });
  const kept = merged.filter((header): header is [string, string] => header[1] !== undefined);
  return { ...delivery, headers: Object.fromEntries(kept) };
}
