/** @jsxImportSource preact */

import type { StoreEvent } from "../../client/events.ts";
import { SCROLLS } from "../parts/scrolls.ts";
import { AnimalName } from "./animal-name.tsx";
import { DropDown } from "./drop-down.tsx";
import type { FeedState } from "./feed.ts";
import { Message } from "./message.tsx";
import { StatusLabel } from "./status-label.tsx";
import { Time } from "./time.tsx";
import type { Feed } from "./use-feed.ts";
import { usePhone } from "./use-phone.ts";

const STATES: Readonly<Record<FeedState["kind"], string>> = {
  connecting: "Connecting…",
  connected: "Live",
  reconnecting: "Reconnecting…",
  refused: "Not live",
};

/** The feed's state and, when it is opened, the latest changes above the page: nothing below it moves. */
export function FeedPanel({ feed, onOpen }: { feed: Feed; onOpen: (animal: string) => void }) {
  const { state, hasMissed, latest } = feed;
  // A phone has no room for a longer word, and half of it would say something else.
  const word = usePhone() && state.kind === "reconnecting" ? STATES.refused : STATES[state.kind];
  const nothingYet = latest.length === 0 ? "No change yet" : "";
  const note = state.kind === "reconnecting" ? "Until it is back, refresh to see changes." : nothingYet;
  return (
    <DropDown
      class="feed"
      summary={
        <>
          <span class={`feed-state ${state.kind}`} role="status">
            <span class={state.kind === "connecting" ? "wide" : undefined}>{word}</span>
            {hasMissed ? <span class="feed-missed">Changes were missed: refresh</span> : null}
          </span>
          <span class="feed-latest">{latest[0] ? <Change event={latest[0]} /> : null}</span>
        </>
      }
    >
      {state.kind === "refused" ? (
        <p class="callout warn">
          <strong>This key may not follow changes.</strong> <Message text={state.message} />
        </p>
      ) : (
        <ol class="feed-list" aria-label="Latest changes" {...SCROLLS}>
          {note ? <li class="hint">{note}</li> : null}
          {latest.map((event) => (
            <li key={String(event.id)}>
              <button type="button" class="link" onClick={() => onOpen(animalOf(event))}>
                <Change event={event} />
              </button>
              <span class="hint">
                <Time at={event.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </DropDown>
  );
}

/** The id of the animal that a change is about. */
function animalOf({ animal, order }: StoreEvent): string {
  return String(animal?.id ?? order?.petId ?? "");
}

function Change({ event: { type, animal, order } }: { event: StoreEvent }) {
  if (order) {
    return (
      <>
        Order {String(order.id)} of animal {String(order.petId)} <StatusLabel status={order.status} />
      </>
    );
  }
  return (
    <>
      {type === "animal.created" ? "New: " : ""}
      <AnimalName name={animal?.name ?? ""} /> <StatusLabel status={animal?.status ?? ""} />
    </>
  );
}
