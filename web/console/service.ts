import { useCallback, useState } from "preact/hooks";
import { type Call, type Exchange, send } from "../browser/call.ts";
import { storedKey } from "../browser/key.ts";

const EXCHANGES_MAX = 100;

/** A wait that a person notices. The browser may be short of connections: it opens six to a host. */
const LONG_WAIT_MS = 3_000;

/** The public interface, with a record of what was asked of it. */
export interface Service {
  /** @param options.key a key that is not the tab's, to find out whether it works */
  call(call: Call, options?: { readonly signal?: AbortSignal; readonly key?: string }): Promise<Exchange>;
  /** Adds a request to the record that was not made with `call`. */
  record(exchange: Exchange): void;
  /** The latest first. */
  readonly exchanges: readonly (Exchange & { readonly number: number })[];
  /** How many requests have waited long for their responses. */
  readonly waiting: number;
}

export function useService(): Service {
  const [exchanges, setExchanges] = useState<Service["exchanges"]>([]);
  const record = useCallback((exchange: Exchange) => {
    setExchanges((before) => [
      { ...exchange, number: (before[0]?.number ?? 0) + 1 },
      ...before.slice(0, EXCHANGES_MAX - 1),
    ]);
  }, []);
  const [waiting, setWaiting] = useState(0);
  const call = useCallback(
    async (call: Call, { signal, key = storedKey() }: { signal?: AbortSignal; key?: string } = {}) => {
      let isLong = false;
      const timer = setTimeout(() => {
        isLong = true;
        setWaiting((before) => before + 1);
      }, LONG_WAIT_MS);
      const exchange = await send(call, key, signal);
      clearTimeout(timer);
      if (isLong) setWaiting((before) => before - 1);
      if (!signal?.aborted) record(exchange);
      return exchange;
    },
    [record],
  );
  return { call, record, exchanges, waiting };
}
