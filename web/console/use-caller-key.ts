import { useEffect, useState } from "preact/hooks";
import type { CallerKey } from "../../client/contract.ts";
import { OFFERS_GET_KEY, SCOPES } from "./offers.ts";
import type { Service } from "./service.ts";

/** What the service says of the key in use; `undefined` until it has, and where it does not offer to. */
export function useCallerKey({ call }: Service): CallerKey | undefined {
  const [caller, setCaller] = useState<CallerKey>();
  useEffect(() => {
    if (!OFFERS_GET_KEY) return;
    const left = new AbortController();
    void call({ method: "GET", path: "/key", headers: {} }, { signal: left.signal }).then(({ response }) => {
      if (response?.status === 200) setCaller(JSON.parse(response.body));
    });
    return () => left.abort();
  }, [call]);
  return caller;
}

/** What a key may not do, by the scope that it lacks, each with a message. */
export function lackedBy({ scopes }: CallerKey): (readonly [scope: string, message: string])[] {
  const lacked = SCOPES.split(",").filter((scope) => !scopes.includes(scope));
  return lacked.map((scope) => [scope, `It lacks the scope \`${scope}\`.`]);
}
