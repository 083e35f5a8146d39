import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Exchange, headerOf } from "../browser/call.ts";
import { CopyButton } from "../browser/copy.tsx";
import { refusalOf } from "../browser/refusal.ts";
import { type Animal, animalOf } from "./animal.ts";
import { Dialog } from "./dialog.tsx";
import { Message } from "./message.tsx";
import type { Service } from "./service.ts";
import { StatusLabel } from "./table.tsx";

interface Props {
  readonly service: Service;
  readonly id: string;
  /** The animal, where the list has it. */
  readonly known: Animal | undefined;
  readonly onRefusedKey: () => void;
  readonly onClose: () => void;
}

/** One animal. One that the list does not show is fetched by its id. */
export function OpenAnimal({ service, id, known, onRefusedKey, onClose }: Props) {
  const [exchange, setExchange] = useState<Exchange>();
  const { call } = service;
  const running = useRef<AbortController>(undefined);
  const fetchIt = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setExchange(undefined);
    const path = `/pets/${encodeURIComponent(id)}`;
    const fetched = await call({ method: "GET", path, headers: {} }, controller);
    // The browser's "back" may have opened another animal meanwhile.
    if (controller.signal.aborted) return;
    if (fetched.response?.status === 401) return onRefusedKey();
    setExchange(fetched);
  }, [call, id, onRefusedKey]);
  useEffect(() => {
    if (!known) void fetchIt();
    return () => running.current?.abort();
  }, [known, fetchIt]);

  const response = exchange?.response;
  const animal = known ?? (response?.status === 200 ? animalOf(response) : undefined);
  const sunset = response && headerOf(response, "sunset");
  const title = animal ? (
    <bdi>{animal.name}</bdi>
  ) : exchange ? (
    `Animal ${id} cannot be shown`
  ) : (
    `Loading animal ${id}…`
  );
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
          <Message text={response ? refusalOf(response).message : "The service could not be reached."} />
        </p>
      ) : null}
      {sunset ? (
        <p class="hint">
          Fetched by <a href="docs#getPet">an operation that is deprecated</a> and ends on{" "}
          {new Date(sunset).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" })}.
        </p>
      ) : null}
      <p class="dialog-actions">
        {exchange && !animal ? (
          <button type="button" class="button" onClick={fetchIt}>
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
