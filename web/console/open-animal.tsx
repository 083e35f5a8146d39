/** @jsxImportSource preact */
import { Fragment } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Animal, Order } from "../../client/contract.ts";
import { CopyButton } from "../browser/copy.tsx";
import { AnimalName } from "./animal-name.tsx";
import { AnimalOrders } from "./animal-orders.tsx";
import { AnimalMenu } from "./item-menus.tsx";
import { ItemProblem, type Problem, problemOf } from "./item-problem.tsx";
import { LABELS, PLAIN_MEMBERS, textOf } from "./members.ts";
import { OFFERS_ORDERS } from "./offers.ts";
import { type Neighbours, Panel } from "./panel.tsx";
import type { Session } from "./session.ts";
import { StatusLabel } from "./status-label.tsx";
import { animalStatusAfter } from "./statuses.ts";
import { useLoaded } from "./use-loaded.ts";
import { useRemembered } from "./use-remembered.ts";
import type { Go, View } from "./view.ts";

/** A name with more characters is shown smaller, so that it leaves room for the rest. */
const LONG_NAME = 60;

interface Props {
  readonly session: Session;
  readonly id: string;
  /** The animal, if the list has it. */
  readonly known: Animal | undefined;
  readonly neighbours: Neighbours;
  /** An order has changed the animal. */
  readonly onChanged?: (animal: Animal) => void;
  readonly onOrderChanged?: (order: Order) => void;
  readonly view: View;
  readonly go: Go;
  readonly onClose: () => void;
}

function missing(id: string): Problem {
  return { title: "Not found", text: `There is no animal with the id \`${id}\`.`, isFinal: true };
}

/** One animal with its orders. An animal that the list does not show is fetched by its id. */
export function OpenAnimal(props: Props) {
  const { session, id, known, neighbours, onChanged, onOrderChanged, view, go, onClose } = props;
  const [problem, setProblem] = useState<Problem>();
  /** The last id that a search through the list has passed. */
  const [passed, setPassed] = useState<bigint>();
  const { onRefusedKey, feed, finder } = session;
  const latestKnown = useRef(known);
  latestKnown.current = known;
  const ask = useCallback(
    async (signal: AbortSignal): Promise<Animal | undefined> => {
      if (latestKnown.current) return latestKnown.current;
      setProblem(undefined);
      const found = await finder.find(id, signal, setPassed);
      // The browser's "back" may have opened another animal meanwhile.
      if (signal.aborted) return;
      setPassed(undefined);
      if (found.kind === "found") return found.animal;
      const response = found.kind === "refused" ? found.response : undefined;
      if (response?.status === 401) return void onRefusedKey();
      setProblem(found.kind === "missing" ? missing(id) : problemOf(response));
    },
    [finder, id, onRefusedKey],
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

  useRemembered(animal && `?animal=${id}`, `Animal ${id}`);
  const title = animal ? (
    <AnimalName name={animal.name} class={animal.name.length > LONG_NAME ? "long" : undefined} />
  ) : problem ? (
    `Animal ${id} cannot be shown`
  ) : (
    `Loading animal ${id}…`
  );
  return (
    <Panel menu={animal ? <AnimalMenu animal={animal} /> : undefined} {...{ title, neighbours, onClose }}>
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
          {PLAIN_MEMBERS.filter((name) => textOf(animal, name) !== "").map((name) => (
            <Fragment key={name}>
              <dt>{LABELS[name]}</dt>
              <dd>
                <AnimalName name={textOf(animal, name)} />
              </dd>
            </Fragment>
          ))}
        </dl>
      ) : problem ? (
        <ItemProblem problem={problem} onRetry={load} />
      ) : passed !== undefined ? (
        <p role="status">
          Reading the list up to this animal: past id <code>{String(passed)}</code>.
        </p>
      ) : null}
      {animal && OFFERS_ORDERS ? (
        <AnimalOrders
          {...{ session, animal, view, go }}
          onChanged={(order) => {
            const changed = { ...animal, status: animalStatusAfter(order) };
            change(() => changed);
            onChanged?.(changed);
            onOrderChanged?.(order);
          }}
        />
      ) : null}
    </Panel>
  );
}
