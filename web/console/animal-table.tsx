/** @jsxImportSource preact */
import type { Animal } from "../../client/contract.ts";
import { AnimalName } from "./animal-name.tsx";
import { OFFERS_GET_PET } from "./offers.ts";
import { onRow } from "./on-row.ts";
import { RowMenu } from "./row-menu.tsx";
import { StatusLabel } from "./status-label.tsx";

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
          <th scope="col">
            <span class="visually-hidden">Copy</span>
          </th>
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
            onClick={onRow(() => onOpen(animal))}
          >
            <td class="number" data-label="Id">
              {String(animal.id)}
            </td>
            <td class="name">
              <button type="button" class="link" onClick={() => onOpen(animal)}>
                <AnimalName name={animal.name} class="clamped" />
              </button>
            </td>
            <td class="number" data-label="Category">
              {String(animal.categoryId)}
            </td>
            <td class="state">
              <StatusLabel status={animal.status} isChanged={changed.has(String(animal.id))} />
            </td>
            <td class="row-menu-cell">
              <RowMenu
                of={`animal ${animal.id}`}
                item={animal}
                query={`?animal=${animal.id}`}
                call={OFFERS_GET_PET ? { method: "GET", path: `/pets/${animal.id}`, headers: {} } : undefined}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
