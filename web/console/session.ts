import { useCallback, useMemo, useState } from "preact/hooks";
import type { CallerKey } from "../../client/contract.ts";
import { IN_TAB, keep, kept } from "../browser/kept.ts";
import { shortened } from "../browser/key.ts";
import type { KeptDraft } from "./draft.ts";
import { AnimalFinder } from "./find-animal.ts";
import { useNamesSeen } from "./names-seen.ts";
import type { Service } from "./service.ts";
import { lackedBy, useCallerKey } from "./use-caller-key.ts";
import { type Feed, useFeed } from "./use-feed.ts";

/** What the parts of the console share while one key is used. */
export interface Session {
  readonly service: Service;
  /** `undefined` if the service offers none. */
  readonly feed: Feed | undefined;
  readonly finder: AnimalFinder;
  /** The names of animals that were seen, by their ids. */
  readonly names: Map<string, string>;
  /** What the key is; `undefined` until the service has said so, and where it does not offer to. */
  readonly caller: CallerKey | undefined;
  /** What the key may not do, by the scope that it lacks: as the service says of the key, or in the words of its 403. */
  readonly forbidden: ReadonlyMap<string, string>;
  forbid(scope: string, message: string): void;
  /** The new animal that a person is typing. It lasts until another key is entered, if this one ends meanwhile. */
  readonly draft: KeptDraft;
  /** The service no longer knows the key. */
  onRefusedKey(): void;
  /** The user wants to use another key. */
  onNewKey(): void;
}

const FORBIDDEN_NAME = "animal-store.forbidden";

/** What a key may not do. A key's scopes never change, so the tab remembers it. */
interface KeptForbidden {
  /** The key, shortened. */
  readonly key: string;
  readonly scopes: readonly (readonly [scope: string, message: string])[];
}

function forbiddenTo(key: string): ReadonlyMap<string, string> {
  const known = kept<Partial<KeptForbidden>>(IN_TAB, FORBIDDEN_NAME, {});
  return new Map(known.key === shortened(key) ? known.scopes : []);
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
  useNamesSeen(names);
  const caller = useCallerKey(service);
  const [refused, setRefused] = useState(() => forbiddenTo(key));
  const forbid = useCallback(
    (scope: string, message: string) => {
      setRefused((before) => {
        const after = new Map([...before, [scope, message]]);
        keep(IN_TAB, FORBIDDEN_NAME, { key: shortened(key), scopes: [...after] } satisfies KeptForbidden);
        return after;
      });
    },
    [key],
  );
  const forbidden = useMemo(
    () => new Map([...(caller ? lackedBy(caller) : []), ...refused]),
    [caller, refused],
  );
  return { service, feed, finder, names, caller, forbidden, forbid, draft, onRefusedKey, onNewKey };
}
