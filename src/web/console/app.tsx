import { useCallback, useState } from "preact/hooks";
import { shortened, storeKey, useKey } from "../browser/key.ts";
import { Animals } from "./animals.tsx";
import { Requests } from "./requests.tsx";
import { useService } from "./service.ts";
import { SignIn } from "./sign-in.tsx";

/** The console: a key first, then the stock. */
export function App() {
  const key = useKey();
  const service = useService();
  const [refused, setRefused] = useState(false);
  const forget = useCallback((wasRefused: boolean) => {
    setRefused(wasRefused);
    storeKey("");
  }, []);
  const onRefusedKey = useCallback(() => forget(true), [forget]);
  return (
    <>
      {key ? (
        <>
          <p class="session">
            Key <code>{shortened(key)}</code>{" "}
            <button type="button" class="link" onClick={() => forget(false)}>
              Forget it
            </button>
          </p>
          <Animals key={key} service={service} onRefusedKey={onRefusedKey} onNewKey={() => forget(false)} />
        </>
      ) : (
        <SignIn service={service} refused={refused} />
      )}
      <Requests exchanges={service.exchanges} />
    </>
  );
}
