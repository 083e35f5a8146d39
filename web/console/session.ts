import { useCallback, useState } from "preact/hooks";
import type { KeptDraft } from "./draft.ts";
import { AnimalFinder } from "./find-animal.ts";
import type { Service } from "./service.ts";
import { type Feed, useFeed } from "./use-feed.ts";

/** What the parts of the console share while one key is used. */
export interface Session {
  readonly service: Service;
  /** `undefined` if the service offers none. */
  readonly feed: Feed | undefined;
  readonly finder: AnimalFinder;
  /** The names of animals that were seen, by their ids. */
  readonly names: Map<string, string>;
  /** What the key may not do, by the scope that it lacks, in the service's words. The service's 403 says so. */
  readonly forbidden: ReadonlyMap<string, string>;
  forbid(scope: string, message: string): void;
  /** The new animal that a person is typing. It lasts until another key is entered, if this one ends meanwhile. */
  readonly draft: KeptDraft;
  /** The service no longer knows the key. */
  onRefusedKey(): void;
  /** The user wants to use another key. */
  onNewKey(): void;
}

export function useSession(
  key: string,
  service: Service,
  draft: Session["draft"],
  onRefusedKey: () => void,
  onNewKey: () => void,
): Session {
  const feed = useFeed(key, service, onRefusedKey);
  const [finder] = useState(() => new AnimalFinder(service.call));
  const [names] = useState(() => new Map<string, string>());
  const [forbidden, setForbidden] = useState<ReadonlyMap<string, string>>(new Map());
  const forbid = useCallback(
    (scope: string, message: string) => setForbidden((before) => new Map([...before, [scope, message]])),
    [],
  );
  return { service, feed, finder, names, forbidden, forbid, draft, onRefusedKey, onNewKey };
}
