/** @jsxImportSource preact */
import { Fragment } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { getOrder, type Order } from "../../client/contract.ts";
import { CopyButton } from "../browser/copy.tsx";
import { capitalized } from "../parts/capitalized.ts";
import { AnimalName } from "./animal-name.tsx";
import { OrderMenu } from "./item-menus.tsx";
import { ItemProblem, type Problem, problemOf } from "./item-problem.tsx";
import { OrderActions } from "./order-actions.tsx";
import { ORDER_TEXTS } from "./order-members.ts";
import { OrderTimeline } from "./order-timeline.tsx";
import { type Neighbours, Panel } from "./panel.tsx";
import { resultOf } from "./result.ts";
import type { Session } from "./session.ts";
import { useLoaded } from "./use-loaded.ts";
import { useRemembered } from "./use-remembered.ts";
import type { Go, View } from "./view.ts";
import { ViewLink } from "./view-link.tsx";

interface Props {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
  readonly id: string;
  /** The order, if the list has it. */
  readonly known: Order | undefined;
  /** The animal's name, if it is known. */
  readonly nameOf: (order: Order) => string | undefined;
  readonly neighbours: Neighbours;
  readonly onChanged: (order: Order) => void;
  readonly onClose: () => void;
}

/** One order: its animal, its way so far, and the steps that it may take next. */
export function OpenOrder(props: Props) {
  const { session, view, go, id, known, nameOf, neighbours, onChanged, onClose } = props;
  const [problem, setProblem] = useState<Problem>();
  const { onRefusedKey, feed, service } = session;
  const latestKnown = useRef(known);
  latestKnown.current = known;
  const ask = useCallback(
    async (signal: AbortSignal): Promise<Order | undefined> => {
      if (latestKnown.current) return latestKnown.current;
      setProblem(undefined);
      const path = `/orders/${encodeURIComponent(id)}`;
      const { response } = await service.call({ method: "GET", path, headers: {} }, { signal });
      if (signal.aborted) return;
      if (response?.status === 401) return void onRefusedKey();
      const order = resultOf(response, getOrder);
      if (!order) setProblem(problemOf(response));
      return order;
    },
    [service.call, id, onRefusedKey],
  );
  const { value, load, change } = useLoaded(
    ask,
    feed,
    (events) => (before) => events.findLast((event) => String(event.order?.id) === id)?.order ?? before,
  );
  const order = value ?? known;
  useEffect(() => {
    if (known) change(() => known);
  }, [known, change]);
  useRemembered(order && `?view=orders&order=${id}`, `Order ${id}`);
  const name = order && nameOf(order);
  return (
    <Panel
      title={order || !problem ? `Order ${id}` : `Order ${id} cannot be shown`}
      menu={order ? <OrderMenu order={order} /> : undefined}
      {...{ neighbours, onClose }}
    >
      {order ? (
        <>
          <dl class="facts">
            <dt>Animal</dt>
            <dd>
              <ViewLink {...{ view, go }} to={{ animal: String(order.petId) }}>
                {name ? <AnimalName name={name} class="clamped" /> : `Animal ${order.petId}`}
              </ViewLink>
            </dd>
            <dt>Id</dt>
            <dd>
              <code>{String(order.id)}</code> <CopyButton text={() => String(order.id)} />
            </dd>
            {ORDER_TEXTS.map(
              (name) =>
                order[name] && (
                  <Fragment key={name}>
                    <dt>{capitalized(name)}</dt>
                    <dd dir="auto">{order[name]}</dd>
                  </Fragment>
                ),
            )}
          </dl>
          <OrderTimeline order={order} />
          <OrderActions
            session={session}
            order={order}
            isMain
            onChanged={(changed) => {
              change(() => changed);
              onChanged(changed);
            }}
          />
        </>
      ) : problem ? (
        <ItemProblem problem={problem} onRetry={load} />
      ) : (
        <p class="hint">Loading…</p>
      )}
    </Panel>
  );
}
