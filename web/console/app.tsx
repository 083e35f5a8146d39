/** @jsxImportSource preact */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { PLACE } from "../browser/environment.ts";
import { storedKey, storeKey, useKey } from "../browser/key.ts";
import { capitalized } from "../parts/capitalized.ts";
import { Animals } from "./animals.tsx";
import type { KeptDraft } from "./draft.ts";
import { Header } from "./header.tsx";
import { OFFERS_ORDERS } from "./offers.ts";
import { Orders } from "./orders.tsx";
import { Requests } from "./requests.tsx";
import { type Service, useService } from "./service.ts";
import { useSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { listOf, useView, type View } from "./view.ts";

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
  // A response may be late: another key is used by then.
  const onRefusedKey = useCallback(() => storedKey() === key && forget(true), [forget, key]);
  const onNewKey = useCallback(() => forget(false), [forget]);
  return (
    <>
      {key ? (
        <SignedIn key={key} apiKey={key} {...{ service, draft, onRefusedKey, onNewKey }} />
      ) : (
        <>
          <Header />
          <main id="main" tabIndex={-1}>
            <SignIn service={service} refused={refused} keepsDraft={draft.current !== undefined} />
          </main>
        </>
      )}
      <Requests {...service} />
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
  const { view, go, close } = useView();
  const isOrders = OFFERS_ORDERS && view.section === "orders";
  useEffect(() => {
    document.title = titleOf(view);
    return () => {
      document.title = TITLE;
    };
  }, [view]);
  return (
    <>
      <Header place={{ view, go }} apiKey={apiKey} caller={session.caller} onForget={onNewKey} />
      <main id="main" tabIndex={-1}>
        {isOrders ? (
          <Orders {...{ session, view, go, close }} />
        ) : (
          <Animals {...{ session, go, close }} view={{ ...view, section: "animals" }} />
        )}
      </main>
    </>
  );
}

const TITLE = `Animal Store (${PLACE})`;

/** The title of a view, for the browser's tabs and history. */
function titleOf(view: View): string {
  const { animal, order } = view;
  return `${animal ? `Animal ${animal}` : order ? `Order ${order}` : capitalized(listOf(view))}: ${TITLE}`;
}
