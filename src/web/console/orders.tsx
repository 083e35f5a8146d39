/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { Forbidden } from "./forbidden.tsx";
import { ListView } from "./list-view.tsx";
import { OpenAnimal } from "./open-animal.tsx";
import { ORDER_STATUSES, type Order } from "./order.ts";
import { OrderActions } from "./order-actions.tsx";
import { OrderTable } from "./order-table.tsx";
import type { Session } from "./session.ts";
import { useList } from "./use-list.ts";
import { type Go, passes, pathOf, UNFILTERED, type View } from "./view.ts";

const { environment = "production" } = document.documentElement.dataset;

/** The orders: filters, a page of them, and the steps that each may take. */
export function Orders({ session, view, go }: { session: Session; view: View; go: Go }) {
  const list = useList<Order>(session, pathOf(view), (events) => {
    const of = (type: string) => events.flatMap((event) => (event.type === type && event.order) || []);
    const added = of("order.placed").filter((item) => passes(view, item));
    return { changed: of("order.status_changed"), added };
  });
  return (
    <>
      <div class="console-head">
        <div>
          <h1>
            Orders <span class="tag beta">beta</span>
          </h1>
          <p class="hint">
            The orders of this store in <strong>{environment}</strong>. To place one, open an animal.
          </p>
        </div>
      </div>
      <Forbidden id="may-not-order" action="change orders" message={session.forbidden.get("orders:write")} />
      <ListView
        {...{ session, view, go, list }}
        nouns={["order", "orders"]}
        statuses={ORDER_STATUSES}
        filters={<AnimalFilter key={view.pet} pet={view.pet} go={go} />}
        emptyHint="Open an animal that is available to place the first one."
        table={(orders) => (
          <OrderTable
            orders={orders}
            isBusy={list.isBusy}
            changed={list.changed}
            onOpen={({ petId }) => go({ animal: String(petId) })}
            actions={(order) => (
              <OrderActions
                session={session}
                order={order}
                onChanged={(changed) => list.change(changed.id, changed)}
                onStale={list.load}
              />
            )}
          />
        )}
      />
      {view.animal ? (
        <OpenAnimal
          key={view.animal}
          session={session}
          id={view.animal}
          known={undefined}
          onOrderChanged={(order) => list.change(order.id, order)}
          onStale={list.load}
          onOrders={() => go({ ...UNFILTERED, pet: view.animal, animal: undefined })}
          onClose={() => go({ animal: undefined })}
        />
      ) : null}
    </>
  );
}

/** Lists the orders of one animal. */
function AnimalFilter({ pet, go }: { pet: string | undefined; go: Go }) {
  const [id, setId] = useState(pet ?? "");
  const filter = (pet: string | undefined) => go({ pet, page: undefined, trail: [] });
  const submit = (event: Event) => {
    event.preventDefault();
    filter(id.trim() || undefined);
  };
  return (
    <form class="find" onSubmit={submit}>
      <label class="visually-hidden" for="animal-filter">
        Of the animal with the id
      </label>
      <input
        id="animal-filter"
        class="input mono"
        inputMode="numeric"
        autocomplete="off"
        placeholder="Animal id"
        value={id}
        onInput={({ currentTarget }) => setId(currentTarget.value)}
      />
      {pet ? (
        <button type="button" class="button" onClick={() => filter(undefined)}>
          Every animal
        </button>
      ) : null}
    </form>
  );
}
