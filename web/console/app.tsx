/** @jsxImportSource preact */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ENVIRONMENT } from "../browser/environment.ts";
import { shortened, storeKey, useKey } from "../browser/key.ts";
import { capitalized } from "../parts/capitalized.ts";
import { Animals } from "./animals.tsx";
import type { KeptDraft } from "./draft.ts";
import { FeedPanel } from "./feed-panel.tsx";
import { OFFERS_ORDERS } from "./offers.ts";
import { Orders } from "./orders.tsx";
import { Requests } from "./requests.tsx";
import { type Service, useService } from "./service.ts";
import { useSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { addressOf, type Go, type Section, UNFILTERED, useView, type View } from "./view.ts";

/** The console: a key first, then the stock and its orders. */
export function App() {
  const key = useKey();
  const service = useService();
  const [refused, setRefused] = useState(false);
  const draft: KeptDraft = useRef(undefined);
  const forget = useCallback((wasRefused: boolean) => {
    setRefused(wasRefused);
    storeKey("");
  }, []);
  const onRefusedKey = useCallback(() => forget(true), [forget]);
  const onNewKey = useCallback(() => forget(false), [forget]);
  return (
    <>
      {key ? (
        <SignedIn key={key} apiKey={key} {...{ service, draft, onRefusedKey, onNewKey }} />
      ) : (
        <SignIn service={service} refused={refused} keepsDraft={draft.current !== undefined} />
      )}
      <Requests exchanges={service.exchanges} />
    </>
  );
}

/** The console while one key is used. */
function SignedIn(props: {
  readonly apiKey: string;
  readonly service: Service;
  readonly draft: KeptDraft;
  readonly onRefusedKey: () => void;
  readonly onNewKey: () => void;
}) {
  const { apiKey, service, draft, onRefusedKey, onNewKey } = props;
  const session = useSession(apiKey, service, draft, onRefusedKey, onNewKey);
  const { view, go, closeAnimal } = useView();
  const isOrders = OFFERS_ORDERS && view.section === "orders";
  useEffect(() => {
    document.title = titleOf(view);
    return () => {
      document.title = TITLE;
    };
  }, [view]);
  return (
    <>
      <div class="session">
        {OFFERS_ORDERS ? <Sections view={view} go={go} /> : null}
        <p>
          Key <code>{shortened(apiKey)}</code>{" "}
          <button type="button" class="link" onClick={onNewKey}>
            Forget it
          </button>
        </p>
      </div>
      {session.feed ? <FeedPanel feed={session.feed} onOpen={(animal) => go({ animal })} /> : null}
      {isOrders ? (
        <Orders {...{ session, view, go, closeAnimal }} />
      ) : (
        <Animals {...{ session, go, closeAnimal }} view={{ ...view, section: "animals" }} />
      )}
    </>
  );
}

const TITLE = `Animal Store (${ENVIRONMENT})`;

/** The title of a view, for the browser's tabs and history. */
function titleOf({ section, status, animal }: View): string {
  const list = capitalized(`${status} ${section}`.trim());
  return `${animal ? `Animal ${animal}` : list}: ${TITLE}`;
}

const SECTIONS: readonly (readonly [Section, string])[] = [
  ["animals", "Animals"],
  ["orders", "Orders"],
];

/** Links, so that each can be opened in a tab of its own. */
function Sections({ view, go }: { view: View; go: Go }) {
  return (
    <nav class="sections" aria-label="Sections">
      {SECTIONS.map(([section, title]) => {
        const target = { ...view, ...UNFILTERED, section, animal: undefined };
        const follow = (event: MouseEvent) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          go(target);
        };
        return (
          <a
            key={section}
            href={addressOf(target)}
            aria-current={view.section === section ? "page" : undefined}
            onClick={follow}
          >
            {title}
          </a>
        );
      })}
    </nav>
  );
}
