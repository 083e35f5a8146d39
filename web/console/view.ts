import { useEffect, useState } from "preact/hooks";

export type Section = "animals" | "orders";

/** What the console shows. It is in the address, so it survives a reload and can be shared. */
export interface View {
  readonly section: Section;
  readonly status: string;
  readonly limit: string;
  /** The id of the animal whose orders are listed; `undefined` lists all orders. */
  readonly pet: string | undefined;
  /** The link of the service to this page; `undefined` for the first. */
  readonly page: string | undefined;
  /** The id of the animal that is open. */
  readonly animal: string | undefined;
  /** The pages before this one, to go back. */
  readonly trail: readonly (string | undefined)[];
}

export type Go = (change: Partial<View>) => void;

export const LIMITS = ["20", "50", "100"] as const;
/** The first page, of everything. */
export const UNFILTERED = { status: "", pet: undefined, page: undefined, trail: [] } as const;

/** The view that the address names, and a function that opens another. The browser's "back" button works too. */
export function useView(): [View, Go] {
  const [view, setView] = useState(viewOfAddress);
  useEffect(() => {
    const onBack = () => setView(viewOfAddress());
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const go: Go = (change) => {
    const next = { ...view, ...change };
    history.pushState({ trail: next.trail }, "", addressOf(next));
    setView(next);
  };
  return [view, go];
}

function viewOfAddress(): View {
  const query = new URLSearchParams(location.search);
  const limit = query.get("limit") ?? "";
  return {
    section: query.get("view") === "orders" ? "orders" : "animals",
    status: query.get("status") ?? "",
    limit: (LIMITS as readonly string[]).includes(limit) ? limit : LIMITS[0],
    pet: query.get("pet") ?? undefined,
    page: query.get("page") ?? undefined,
    animal: query.get("animal") ?? undefined,
    trail: (history.state as { trail?: View["trail"] } | null)?.trail ?? [],
  };
}

export function addressOf({ section, status, limit, pet, page, animal }: View): string {
  const query = new URLSearchParams();
  if (section !== "animals") query.set("view", section);
  if (status) query.set("status", status);
  if (limit !== LIMITS[0]) query.set("limit", limit);
  if (pet) query.set("pet", pet);
  if (page) query.set("page", page);
  if (animal) query.set("animal", animal);
  return query.size > 0 ? `?${query}` : location.pathname;
}

/** The request for a view's page. */
export function pathOf({ section, status, limit, pet, page }: View): string {
  const resource = section === "animals" ? "pets" : "orders";
  // A link of the service is followed as it is; any other text is ignored.
  if (page?.startsWith(`/v1/${resource}?`)) return page;
  const query = [
    `limit=${limit}`,
    ...(status ? [`status=${encodeURIComponent(status)}`] : []),
    ...(section === "orders" && pet ? [`petId=${encodeURIComponent(pet)}`] : []),
  ];
  return `/${resource}?${query.join("&")}`;
}

/** Whether an item passes a view's filters. */
export function passes(
  { status, pet }: View,
  item: { readonly status?: string; readonly petId?: bigint },
): boolean {
  const isOfPet = !pet || item.petId === undefined || String(item.petId) === pet;
  return isOfPet && (!status || item.status === status);
}
