import { useEffect, useState } from "preact/hooks";

/** Which part of the stock is shown. It is in the address, so it survives a reload and can be shared. */
interface View {
  readonly status: string;
  readonly limit: string;
  /** A page as the service linked to it; `undefined` for the first. */
  readonly page: string | undefined;
  /** The animal that is open. */
  readonly animal: string | undefined;
  /** The pages before this one, to go back. */
  readonly trail: readonly (string | undefined)[];
}

export const LIMITS = ["20", "50", "100"] as const;

/** The view that the address names, and what goes to another. The browser's own "back" works too. */
export function useView(): [View, (change: Partial<View>) => void] {
  const [view, setView] = useState(viewOfAddress);
  useEffect(() => {
    const onBack = () => setView(viewOfAddress());
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const go = (change: Partial<View>) => {
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
    status: query.get("status") ?? "",
    limit: (LIMITS as readonly string[]).includes(limit) ? limit : LIMITS[0],
    page: query.get("page") ?? undefined,
    animal: query.get("animal") ?? undefined,
    trail: (history.state as { trail?: View["trail"] } | null)?.trail ?? [],
  };
}

function addressOf({ status, limit, page, animal }: View): string {
  const query = new URLSearchParams();
  if (status) query.set("status", status);
  if (limit !== LIMITS[0]) query.set("limit", limit);
  if (page) query.set("page", page);
  if (animal) query.set("animal", animal);
  return query.size > 0 ? `?${query}` : location.pathname;
}

/** The request for a view's page. */
export function pathOf({ status, limit, page }: View): string {
  // A link of the service is followed as it is; anything else in its place is none.
  if (page?.startsWith("/v1/pets?")) return page;
  return `/pets?limit=${limit}${status ? `&status=${encodeURIComponent(status)}` : ""}`;
}
