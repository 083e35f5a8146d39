import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Exchange } from "../browser/call.ts";
import { refusalOf } from "../browser/refusal.ts";
import { AddAnimal } from "./add-animal.tsx";
import { type Animal, animalsOf, nextOf, STATUSES } from "./animal.ts";
import { Message } from "./message.tsx";
import { OpenAnimal } from "./open-animal.tsx";
import { Problem } from "./problem.tsx";
import type { Service } from "./service.ts";
import { AnimalTable, LoadingTable } from "./table.tsx";
import { LIMITS, pathOf, useView } from "./view.ts";

interface Page {
  readonly animals: readonly Animal[];
  readonly next: string | undefined;
}

const { environment = "production" } = document.documentElement.dataset;

interface Props {
  readonly service: Service;
  readonly onRefusedKey: () => void;
  /** The user wants to use another key. */
  readonly onNewKey: () => void;
}

/** The stock: filters, a page of it, and what can be done. */
export function Animals({ service, onRefusedKey, onNewKey }: Props) {
  const [view, go] = useView();
  const [page, setPage] = useState<Page>();
  const [problem, setProblem] = useState<Exchange>();
  const [isBusy, setBusy] = useState(true);
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<Animal>();
  const [mayNotAdd, setMayNotAdd] = useState<string>();
  const { call } = service;
  const path = pathOf(view);
  const running = useRef<AbortController>(undefined);

  const load = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    const exchange = await call({ method: "GET", path, headers: {} }, controller);
    if (controller.signal.aborted) return;
    setBusy(false);
    const { response } = exchange;
    if (response?.status === 401) return onRefusedKey();
    const animals = response?.status === 200 ? animalsOf(response) : undefined;
    if (!response || !animals) return setProblem(exchange);
    setProblem(undefined);
    setPage({ animals, next: nextOf(response) });
  }, [call, path, onRefusedKey]);
  useEffect(() => {
    void load();
    return () => running.current?.abort();
  }, [load]);

  const filter = (change: { status?: string; limit?: string }) =>
    go({ ...change, page: undefined, trail: [] });
  const { animals = [], next } = page ?? {};
  const open = (animal: Animal) => go({ animal: String(animal.id) });
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
      {mayNotAdd ? (
        <p class="callout warn" id="may-not-add" role="alert">
          <strong>This key may not add animals.</strong> <Message text={mayNotAdd} />
        </p>
      ) : null}
      {added ? (
        <p class="callout good" role="status">
          Added <bdi>{added.name}</bdi> as <code>{String(added.id)}</code>.{" "}
          <button type="button" class="link" onClick={() => open(added)}>
            Open it
          </button>
        </p>
      ) : null}
      <div class="toolbar">
        <fieldset class="segments">
          <legend class="visually-hidden">Status</legend>
          {["", ...STATUSES].map((status) => (
            <label key={status}>
              <input
                type="radio"
                name="status-filter"
                checked={view.status === status}
                onChange={() => filter({ status })}
              />
              <span>{status ? capitalized(status) : "All"}</span>
            </label>
          ))}
        </fieldset>
        <label class="per-page">
          Per page{" "}
          <select
            class="input"
            value={view.limit}
            onInput={({ currentTarget }) => filter({ limit: currentTarget.value })}
          >
            {LIMITS.map((limit) => (
              <option key={limit}>{limit}</option>
            ))}
          </select>
        </label>
        <button type="button" class="button" onClick={load}>
          Refresh
        </button>
      </div>
      {problem ? (
        <Problem exchange={problem} onRetry={load} onNewKey={onNewKey} />
      ) : !page ? (
        <LoadingTable />
      ) : animals.length === 0 ? (
        <Empty status={view.status} isFirst={view.page === undefined} onAll={() => filter({ status: "" })} />
      ) : (
        <div class="scroll">
          <AnimalTable
            animals={animals}
            isBusy={isBusy}
            highlighted={added && String(added.id)}
            onOpen={open}
          />
        </div>
      )}
      {page && !problem ? (
        <nav class="pager" aria-label="Pages">
          <p class="hint" role="status">
            {animals.length > 0
              ? `${animals.length} ${animals.length === 1 ? "animal" : "animals"}, ids ${animals[0]?.id} to ${animals.at(-1)?.id}`
              : "No animals"}
          </p>
          <button
            type="button"
            class="button"
            aria-disabled={view.page === undefined}
            onClick={() => view.page && go({ page: view.trail.at(-1), trail: view.trail.slice(0, -1) })}
          >
            {view.page && view.trail.length === 0 ? "First page" : "Previous"}
          </button>
          <button
            type="button"
            class="button"
            aria-disabled={!next}
            onClick={() => next && go({ page: next, trail: [...view.trail, view.page] })}
          >
            Next
          </button>
        </nav>
      ) : null}
      {isAdding ? (
        <AddAnimal
          service={service}
          onClose={() => setAdding(false)}
          onForbidden={(response) => {
            setAdding(false);
            if (response.status === 401) onRefusedKey();
            else setMayNotAdd(refusalOf(response).message);
          }}
          onAdded={(animal) => {
            setAdding(false);
            setAdded(animal);
            void load();
          }}
        />
      ) : null}
      {view.animal ? (
        <OpenAnimal
          service={service}
          id={view.animal}
          known={[...animals, ...(added ? [added] : [])].find(({ id }) => String(id) === view.animal)}
          onRefusedKey={onRefusedKey}
          onClose={() => go({ animal: undefined })}
        />
      ) : null}
    </>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
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

function Empty({ status, isFirst, onAll }: { status: string; isFirst: boolean; onAll: () => void }) {
  return (
    <section class="empty">
      <h2>{!isFirst ? "No more animals" : status ? `No ${status} animals` : "No animals yet"}</h2>
      {status ? (
        <p>
          <button type="button" class="button" onClick={onAll}>
            Show all animals
          </button>
        </p>
      ) : (
        <p class="hint">
          {isFirst ? "Add the first one: it gets the id 1." : "Animals that are added appear here."}
        </p>
      )}
    </section>
  );
}
