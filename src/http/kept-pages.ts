import { Failure } from "../domain/failure.ts";
import { type Basis, holdsUnder, type Revision } from "../domain/revision.ts";
import { AskedBefore } from "./asked-before.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { bytesOf, type Rendered, toLast } from "./rendered.ts";
import type { Found } from "./routes.ts";

/** An answer, with where it was found, and what it rests on. */
export interface Kept {
  readonly found: Found;
  readonly rendered: Rendered;
  readonly restsOn: Basis;
  /** The revision that it was rendered under. */
  readonly asOf: Revision;
}

/** Rendered answers kept at once, in bytes. */
const KEPT_MAX_BYTES = 32 * 1024 * 1024;
/** A page takes its text, its bytes, and its bytes in each of three codings. */
const COPIES = 5;
/** Headers and objects of an answer, and of each parameter of its query, in bytes; roughly, and rather too many. */
const ENTRY_BYTES = 2000;
const PARAMETER_BYTES = 300;
/** Our own links have some 100 characters. What is longer is served, and not kept. */
const TARGET_MAX = 300;
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
   * @param find where a target leads
   * @param restsOn what must stand for it to hold
   * @param revision the one that it was rendered under
   */
  keep(
    raw: string,
    find: (raw: string) => Found,
    rendered: Rendered,
    restsOn: Basis,
    revision: Revision,
  ): Rendered {
    const { body } = rendered;
    if (raw.length > TARGET_MAX || typeof body !== "string" || !this.#asked.note(raw)) return rendered;
    // A part of a string keeps all of it in memory: here the URL, in which a host may have 15 KB.
    const target = Buffer.from(raw).toString();
    const found = find(target);
    const parameters = found.route instanceof Failure ? 0 : found.route.query.size;
    const lasting = toLast({ ...rendered, body });
    const size = ENTRY_BYTES + PARAMETER_BYTES * parameters + COPIES * bytesOf(lasting.body);
    this.#kept.set(target, { found, rendered: lasting, restsOn, asOf: revision }, size);
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
