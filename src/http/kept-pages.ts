import { type Basis, holdsUnder, type Revision } from "../domain/revision.ts";
import { AskedBefore } from "./asked-before.ts";
import { BoundedCache } from "./bounded-cache.ts";
import type { Rendered } from "./rendered.ts";
import type { Found } from "./routes.ts";

/** An answer, with where it was found, and what it rests on. */
export interface Kept {
  readonly found: Found;
  readonly rendered: Rendered;
  readonly restsOn: Basis;
  /** The revision that it was rendered under. */
  readonly asOf: Revision;
}

/** Rendered answers kept at once, in bytes; half of it for what is compressed of them. */
const KEPT_MAX_BYTES = 16 * 1024 * 1024;
/** Over how many of them it is reckoned whether kept pages are mostly outdated. */
const OUTDATED_OVER = 16;

/** Answers to be sent again, by the path and query that were asked for. */
export class KeptPages {
  readonly #kept = new BoundedCache<Kept>(KEPT_MAX_BYTES);
  readonly #asked = new AskedBefore();
  /** How large a part of those that are asked for is outdated, of late. */
  #outdated = 0;

  get(raw: string): Kept | undefined {
    return this.#kept.get(raw);
  }

  /**
   * Keeps an answer from the second time on: most pages of a walk through the stock nobody asks for again.
   * Returns the answer to send.
   *
   * @param restsOn what must stand for it to hold
   * @param revision the one that it was rendered under
   */
  keep(raw: string, found: Found, rendered: Rendered, restsOn: Basis, revision: Revision): Rendered {
    if (!this.#asked.note(raw)) return rendered;
    const lasting = { ...rendered, body: lastingBody(rendered.body), alike: rendered.headers };
    // Its key and headers count too, roughly.
    const size = raw.length + 1000 + 2 * (lasting.body?.length ?? 0);
    this.#kept.set(raw, { found, rendered: lasting, restsOn, asOf: revision }, size);
    return lasting;
  }

  /** Whether an answer still holds, which counts for `mostlyHold`. */
  holds(kept: Kept, revision: Revision): boolean {
    const holds = isFresh(kept, revision);
    this.#outdated += ((holds ? 0 : 1) - this.#outdated) / OUTDATED_OVER;
    return holds;
  }

  /** Whether what is kept did mostly hold of late, where it was asked for. */
  get mostlyHold(): boolean {
    return this.#outdated < 0.5;
  }
}

/** Whether what an answer rests on stands as it did. */
export function isFresh({ restsOn, asOf }: Kept, revision: Revision): boolean {
  return holdsUnder(asOf, revision, restsOn);
}

/** Text of ASCII alone the runtime sends as it is; any other it would encode each time anew. */
function lastingBody(body: Rendered["body"]): Rendered["body"] {
  return typeof body === "string" && Buffer.byteLength(body) > body.length ? Buffer.from(body) : body;
}
