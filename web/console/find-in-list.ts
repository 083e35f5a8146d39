// Loaded once `getPet` is removed: only a walk through the list finds an animal then.
import { type Animal, listPets } from "../../client/contract.ts";
import type { CallResponse } from "../browser/call.ts";
import { nextOf, resultOf } from "./result.ts";
import type { Service } from "./service.ts";

/** What a search by id found: the animal, that there is none, or a response that ended it. */
export type Finding =
  | { readonly kind: "found"; readonly animal: Animal }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly response: CallResponse | undefined };

/** A link to a page of the list, with the last id before it. */
export interface PageLink {
  readonly after: bigint;
  readonly link: string;
}

/** Positive integers of 64 bits have at most 19 digits. */
const ID = /^[1-9]\d{0,18}$/;

/**
 * Reads the list up to an id. Only the service can make a page's cursor, so a search begins at the first page, or at the
 * last page before the id that an earlier one saw.
 *
 * @param links what earlier searches saw, in ascending order; this one adds to it
 * @param onPage is told the last id of each page that was read
 */
export async function findInList(
  call: Service["call"],
  links: PageLink[],
  text: string,
  signal: AbortSignal,
  onPage: (last: bigint) => void,
): Promise<Finding> {
  if (!ID.test(text)) return { kind: "missing" };
  const id = BigInt(text);
  let path: string | undefined = links.findLast(({ after }) => after < id)?.link ?? "/pets?limit=100";
  while (path !== undefined) {
    const { response }: { response: CallResponse | undefined } = await call(
      { method: "GET", path, headers: {} },
      { signal },
    );
    const animals = resultOf(response, listPets);
    if (!response || !animals) return { kind: "refused", response };
    const animal = animals.find((each) => BigInt(each.id) === id);
    if (animal) return { kind: "found", animal };
    const last = animals.at(-1)?.id;
    if (last === undefined || BigInt(last) > id) break;
    path = nextOf(response);
    if (path && BigInt(last) > (links.at(-1)?.after ?? 0n)) links.push({ after: BigInt(last), link: path });
    onPage(BigInt(last));
  }
  return { kind: "missing" };
}
