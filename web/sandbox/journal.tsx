/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { SCROLLS } from "../parts/scrolls.ts";
import type { Delivery, DeliveryTarget } from "./control.ts";
import { DeliveryEntry } from "./delivery-entry.tsx";
import { type Latest, shownOf } from "./latest-entries.ts";
import { Part } from "./part.tsx";
import { Requests } from "./requests.tsx";

/** What came in and what was delivered, the latest first. */
export function Journal(
  props: Parameters<typeof Requests>[0] & {
    readonly deliveries: Latest<Delivery>;
    readonly targets: readonly DeliveryTarget[];
  },
) {
  const [isOfDeliveries, setOfDeliveries] = useState(false);
  const choice = (label: string, value: boolean) => (
    <label>
      <input
        type="radio"
        name="journal-of"
        checked={isOfDeliveries === value}
        onChange={() => setOfDeliveries(value)}
      />
      <span>{label}</span>
    </label>
  );
  return (
    <Part name="journal" title="Journal">
      <fieldset class="segments">
        <legend class="visually-hidden">Journal of</legend>
        {choice("Requests", false)}
        {choice("Deliveries", true)}
      </fieldset>
      {isOfDeliveries ? <DeliveriesSeen {...props} /> : <Requests {...props} />}
    </Part>
  );
}

function DeliveriesSeen(props: {
  readonly deliveries: Latest<Delivery>;
  readonly targets: readonly DeliveryTarget[];
}) {
  const { deliveries, targets } = props;
  return (
    <>
      <p class="hint">{shownOf(deliveries, "delivery", "deliveries")}</p>
      {deliveries.entries.length > 0 ? (
        <ol class="requests-seen" {...SCROLLS}>
          {deliveries.entries.toReversed().map((delivery) => (
            <DeliveryEntry
              key={delivery.id}
              delivery={delivery}
              url={targets.find(({ target }) => target === delivery.target)?.url}
            />
          ))}
        </ol>
      ) : (
        <p>Each delivery shows up here as it leaves, with its response: give the address of your receiver.</p>
      )}
    </>
  );
}
