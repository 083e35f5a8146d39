/** @jsxImportSource preact */
import type { Animal } from "./animal.ts";

interface Props {
  readonly animals: readonly Animal[];
  readonly isBusy: boolean;
  readonly highlighted: string | undefined;
  /** The ids of the items that have changed since the page was loaded. */
  readonly changed: ReadonlySet<string>;
  readonly onOpen: (animal: Animal) => void;
}

/** A page of the stock. */
export function AnimalTable({ animals, isBusy, highlighted, changed, onOpen }: Props) {
  return (
    <table class="items animals" aria-busy={isBusy}>
      <caption class="visually-hidden">Animals</caption>
      <thead>
        <tr>
          <th scope="col">Id</th>
          <th scope="col">Name</th>
          <th scope="col">Category</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {animals.map((animal) => (
          <tr
            key={String(animal.id)}
            class={
              String(animal.id) === highlighted
                ? "highlighted"
                : changed.has(String(animal.id))
                  ? "changed"
                  : undefined
            }
          >
            <td class="number" data-label="Id">
              {String(animal.id)}
            </td>
            <td class="name">
              <button type="button" class="link" onClick={() => onOpen(animal)}>
                <bdi>{animal.name}</bdi>
              </button>
            </td>
            <td class="number" data-label="Category">
              {String(animal.categoryId)}
            </td>
            <td class="state">
              <StatusLabel status={animal.status} isChanged={changed.has(String(animal.id))} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A status, in a color and shape of its own. */
export function StatusLabel({ status, isChanged = false }: { status: string; isChanged?: boolean }) {
  return (
    <span class={`state-label ${status}`}>
      {status}
      {isChanged ? <span class="visually-hidden">, changed just now</span> : null}
    </span>
  );
}

const ROWS = [72, 48, 64, 56, 80, 44, 60, 52];

/** The shape of a table while the first page is on its way. */
export function LoadingTable({ of }: { of: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading {of}…</span>
      {ROWS.map((width, row) => (
        <svg key={row} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect x="0" y="2" width="6" height="4" rx="1" />
          <rect x="12" y="2" width={width * 0.6} height="4" rx="1" />
          <rect x="88" y="2" width="12" height="4" rx="1" />
        </svg>
      ))}
    </div>
  );
}
