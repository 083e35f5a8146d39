/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import type { Animal } from "../../client/contract.ts";
import { NOT_LOADED } from "../browser/load-script.ts";
import { type Done, Toast } from "../browser/toast.tsx";
import { AddForm } from "./add-form.ts";
import { AnimalName } from "./animal-name.tsx";
import { AnimalTable } from "./animal-table.tsx";
import { Forbidden } from "./forbidden.tsx";
import { IdForm } from "./id-form.tsx";
import { Later } from "./later.tsx";
import { ListView } from "./list-view.tsx";
import { prepareDialogs } from "./load-dialogs.ts";
import { OpenAnimal } from "./open-animal.tsx";
import { neighboursOf } from "./panel.tsx";
import type { Session } from "./session.ts";
import { ANIMAL_STATUSES } from "./statuses.ts";
import { idsOf, useList } from "./use-list.ts";
import { rememberNames } from "./use-names.ts";
import { type Go, isFiltered, type View } from "./view.ts";

interface Props {
  readonly session: Session;
  readonly view: View;
  readonly go: Go;
  readonly close: () => void;
}

/** The stock: filters, a page of it, and what can be done. */
export function Animals({ session, view, go, close }: Props) {
  const list = useList(session, view, "animal");
  const [isAdding, setAdding] = useState(session.draft.current !== undefined);
  const [added, setAdded] = useState<Animal>();
  const [done, setDone] = useState<Done>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => rememberNames(session, list.items ?? []), [session, list.items]);
  const mayNotAdd = session.forbidden.get("pets:write");
  const open = (animal: Animal) => go({ animal: String(animal.id) });
  const show = (animal: Animal) => {
    setAdded(animal);
    setDone({
      text: (
        <>
          Added <AnimalName name={animal.name} /> as <code>{String(animal.id)}</code>.{" "}
          <button type="button" class="link" onClick={() => open(animal)}>
            Open it
          </button>
        </>
      ),
    });
    void list.load();
  };
  const shown = list.items ?? [];
  const animals = shown.filter(({ id }) => chosen.has(String(id)));
  const isEmpty = list.items?.length === 0 && !isFiltered(view) && !view.page;
  const addButton =
    mayNotAdd === undefined ? (
      <button
        type="button"
        class="button primary"
        onPointerEnter={prepareDialogs}
        onFocus={prepareDialogs}
        onClick={() => setAdding(true)}
      >
        <span>
          Add<span class={isEmpty ? undefined : "wide"}> animal</span>
        </span>
      </button>
    ) : null;
  return (
    <>
      <h1 class="visually-hidden">Animals</h1>
      <Forbidden id="may-not-add" action="add animals" message={mayNotAdd} />
      <Toast done={done} onLeave={() => setDone(undefined)} />
      <ListView
        {...{ session, view, go, list }}
        nouns={["animal", "animals"]}
        statuses={["", ...ANIMAL_STATUSES]}
        finder={
          <IdForm
            id="find-id"
            label="Find by id"
            placeholder="Animal id"
            action="Find"
            onSubmit={(animal) => animal && go({ animal })}
          />
        }
        action={isEmpty ? null : addButton}
        empty={
          <>
            <p class="hint">The first one is a name and a category away.</p>
            <p>{addButton}</p>
          </>
        }
        table={(animals) => (
          <AnimalTable
            animals={animals}
            isBusy={list.isBusy}
            highlighted={added && String(added.id)}
            marks={list.marks}
            onChoose={(ids, isChosen) => {
              const of = new Set(ids);
              setChosen(isChosen ? chosen.union(of) : chosen.difference(of));
            }}
            {...{ chosen, view, go }}
          />
        )}
      />
      {animals.length > 0 ? (
        <Later
          draw={({ drawSelection }, place) =>
            drawSelection(place, {
              session,
              animals,
              onAll: animals.length < shown.length ? () => setChosen(idsOf(shown)) : undefined,
              onClear: () => setChosen(new Set()),
            })
          }
          onProblem={() => setDone({ text: NOT_LOADED })}
        />
      ) : null}
      {isAdding ? (
        <AddForm
          session={session}
          onClose={() => setAdding(false)}
          onProblem={(text) => {
            setAdding(false);
            setDone({ text });
          }}
          onAdded={(animal) => {
            setAdding(false);
            show(animal);
          }}
          onAddedBefore={show}
          onOpen={(animal) => {
            setAdding(false);
            open(animal);
          }}
        />
      ) : null}
      {view.animal ? (
        <OpenAnimal
          key={view.animal}
          {...{ session, view, go }}
          id={view.animal}
          known={(added ? [...shown, added] : shown).find(({ id }) => String(id) === view.animal)}
          onChanged={(animal) => list.change(animal.id, animal)}
          neighbours={neighboursOf(list.items, list.isPart, view.animal, (animal) => go({ animal }))}
          onClose={close}
        />
      ) : null}
    </>
  );
}
