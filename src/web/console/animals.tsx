/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { refusalOf } from "../browser/refusal.ts";
import { AddAnimal } from "./add-animal.tsx";
import { type Animal, STATUSES } from "./animal.ts";
import { Forbidden } from "./forbidden.tsx";
import { ListView } from "./list-view.tsx";
import { OpenAnimal } from "./open-animal.tsx";
import type { Session } from "./session.ts";
import { AnimalTable } from "./table.tsx";
import { useList } from "./use-list.ts";
import { type Go, passes, pathOf, UNFILTERED, type View } from "./view.ts";

const { environment = "production" } = document.documentElement.dataset;

interface Props {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
}

/** The stock: filters, a page of it, and what can be done. */
export function Animals({ session, view, go }: Props) {
  const list = useList<Animal>(session, pathOf(view), (events) => {
    const of = (type: string) => events.flatMap((event) => (event.type === type && event.animal) || []);
    const added = of("animal.created").filter((item) => passes(view, item));
    return { changed: of("animal.status_changed"), added };
  });
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<Animal>();
  const mayNotAdd = session.forbidden.get("pets:write");
  const open = (animal: Animal) => go({ animal: String(animal.id) });
  const known = [...(list.items ?? []), ...(added ? [added] : [])];
  return (
    <>
      <div class="console-head">
        <div>
          <h1>Animals</h1>
          <p class="hint">
            The stock of this store in <strong>{environment}</strong>
          </p>
        </div>
        <div class="console-actions">
          <FindById onFind={(id) => go({ animal: id })} />
          <button
            type="button"
            class="button primary"
            aria-disabled={mayNotAdd !== undefined}
            aria-describedby={mayNotAdd ? "may-not-add" : undefined}
            onClick={() => mayNotAdd === undefined && setAdding(true)}
          >
            Add animal
          </button>
        </div>
      </div>
      <Forbidden id="may-not-add" action="add animals" message={mayNotAdd} />
      {added ? (
        <p class="callout good" role="status">
          Added <bdi>{added.name}</bdi> as <code>{String(added.id)}</code>.{" "}
          <button type="button" class="link" onClick={() => open(added)}>
            Open it
          </button>
        </p>
      ) : null}
      <ListView
        {...{ session, view, go, list }}
        nouns={["animal", "animals"]}
        statuses={STATUSES}
        emptyHint="Add the first one."
        table={(animals) => (
          <AnimalTable
            animals={animals}
            isBusy={list.isBusy}
            highlighted={added && String(added.id)}
            changed={list.changed}
            onOpen={open}
          />
        )}
      />
      {isAdding ? (
        <AddAnimal
          service={session.service}
          onClose={() => setAdding(false)}
          onForbidden={(response) => {
            setAdding(false);
            if (response.status === 401) session.onRefusedKey();
            else session.forbid("pets:write", refusalOf(response).message);
          }}
          onAdded={(animal) => {
            setAdding(false);
            setAdded(animal);
            void list.load();
          }}
        />
      ) : null}
      {view.animal ? (
        <OpenAnimal
          key={view.animal}
          session={session}
          id={view.animal}
          known={known.find(({ id }) => String(id) === view.animal)}
          onChanged={(animal) => list.change(animal.id, animal)}
          onStale={list.load}
          onOrders={() => go({ ...UNFILTERED, section: "orders", pet: view.animal, animal: undefined })}
          onClose={() => go({ animal: undefined })}
        />
      ) : null}
    </>
  );
}

function FindById({ onFind }: { onFind: (id: string) => void }) {
  const [id, setId] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (id.trim()) onFind(id.trim());
    setId("");
  };
  return (
    <form class="find" onSubmit={submit}>
      <label class="visually-hidden" for="find-id">
        Find by id
      </label>
      <input
        id="find-id"
        class="input mono"
        inputMode="numeric"
        autocomplete="off"
        placeholder="Find by id"
        value={id}
        onInput={({ currentTarget }) => setId(currentTarget.value)}
      />
    </form>
  );
}
