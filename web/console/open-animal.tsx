/** @jsxImportSource preact */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Animal, getPet, type Order } from "../../client/contract.ts";
import { type Exchange, headerOf } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { messageOf } from "../browser/refusal.ts";
import { longDate } from "../parts/long-date.ts";
import { AnimalOrders } from "./animal-orders.tsx";
import { Dialog } from "./dialog.tsx";
import { Message } from "./message.tsx";
import { OFFERS_ORDERS } from "./offers.ts";
import { resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { StatusLabel } from "./status-label.tsx";
import { animalStatusAfter } from "./statuses.ts";
import { useLoaded } from "./use-loaded.ts";

/** A name with more characters is shown smaller, so that it leaves room for the rest. */
const LONG_NAME = 60;

interface Props {
  readonly session: Session;
  readonly id: string;
  /** The animal, if the list has it. */
  readonly known: Animal | undefined;
  /** An order has changed the animal. */
  readonly onChanged?: (animal: Animal) => void;
  readonly onOrderChanged?: (order: Order) => void;
  /** What is shown is out of date. */
  readonly onStale: () => void;
  /** Shows the animal's orders in the table. */
  readonly onOrders: () => void;
  readonly onClose: () => void;
}

/** One animal with its orders. An animal that the list does not show is fetched by its id. */
export function OpenAnimal(props: Props) {
  const { session, id, known, onChanged, onOrderChanged, onStale, onOrders, onClose } = props;
  const [exchange, setExchange] = useState<Exchange>();
  const { call } = session.service;
  const { onRefusedKey, feed } = session;
  const latestKnown = useRef(known);
  latestKnown.current = known;
  const ask = useCallback(
    async (signal: AbortSignal): Promise<Animal | undefined> => {
      if (latestKnown.current) return latestKnown.current;
      setExchange(undefined);
      const path = `/pets/${encodeURIComponent(id)}`;
      const fetched = await call({ method: "GET", path, headers: {} }, { signal });
      // The browser's "back" may have opened another animal meanwhile.
      if (signal.aborted) return;
      const { response } = fetched;
      if (response?.status === 401) return void onRefusedKey();
      setExchange(fetched);
      return resultOf(response, getPet);
    },
    [call, id, onRefusedKey],
  );
  // The animal stays as it was last known: a filtered list may lose it while it is open.
  const { value, load, change } = useLoaded(
    ask,
    feed,
    (events) => (before) => events.findLast((event) => String(event.animal?.id) === id)?.animal ?? before,
  );
  // The animal of the list is shown at once.
  const animal = value ?? known;
  useEffect(() => {
    if (known) change(() => known);
  }, [known, change]);

  const response = exchange?.response;
  const sunset = response && headerOf(response, "sunset");
  const title = animal ? (
    <bdi class={animal.name.length > LONG_NAME ? "long" : undefined}>{animal.name}</bdi>
  ) : exchange ? (
    `Animal ${id} cannot be shown`
  ) : (
    `Loading animal ${id}…`
  );
  const refresh = () => {
    if (!known) void load();
    onStale();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {animal ? (
        <dl class="facts">
          <dt>Id</dt>
          <dd>
            <code>{String(animal.id)}</code> <CopyButton text={() => String(animal.id)} />
          </dd>
          <dt>Status</dt>
          <dd>
            <StatusLabel status={animal.status} />
          </dd>
          <dt>Category</dt>
          <dd>
            <code>{String(animal.categoryId)}</code>
          </dd>
          <dt>Characters</dt>
          <dd>{[...animal.name].length}</dd>
        </dl>
      ) : exchange ? (
        <p class="callout bad" role="alert">
          <strong>{response ? response.status : "No response"}.</strong>{" "}
          <Message text={response ? messageOf(response) : "The service could not be reached."} />
        </p>
      ) : null}
      {sunset ? (
        <p class="hint">
          <a href="docs#getPet">The operation that fetched this animal</a> is deprecated and will be removed
          on {longDate(sunset)}.
        </p>
      ) : null}
      {animal && OFFERS_ORDERS ? (
        <AnimalOrders
          {...{ session, animal, onOrders }}
          onStale={refresh}
          onChanged={(order) => {
            const changed = { ...animal, status: animalStatusAfter(order) };
            change(() => changed);
            onChanged?.(changed);
            onOrderChanged?.(order);
          }}
        />
      ) : null}
      <p class="dialog-actions">
        {exchange && !animal ? (
          <button type="button" class="button" onClick={load}>
            Try again
          </button>
        ) : null}
        <button type="button" class="button primary" onClick={onClose}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
