/** @jsxImportSource preact */
import type { Animal } from "../../client/contract.ts";
import { AnimalName } from "./animal-name.tsx";
import { AnimalMenu } from "./item-menus.tsx";
import { LABELS, PLAIN_MEMBERS, textOf } from "./members.ts";
import { onRow } from "./on-row.ts";
import { markOf, SlidingBody } from "./sliding-body.tsx";
import { StatusLabel } from "./status-label.tsx";
import type { Marks } from "./use-list.ts";
import type { Go, View } from "./view.ts";
import { ViewLink } from "./view-link.tsx";

interface Props {
  readonly animals: readonly Animal[];
  readonly isBusy: boolean;
  readonly highlighted: string | undefined;
  readonly marks: Marks;
  /** The ids of animals that something is to be done with. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], isChosen: boolean) => void;
  readonly view: View;
  readonly go: Go;
}

/** A page of the stock. */
export function AnimalTable({ animals, isBusy, highlighted, marks, chosen, onChoose, view, go }: Props) {
  const ids = animals.map(({ id }) => String(id));
  // A row is one stop of the keyboard: there the key `x` chooses it, which its style says while it has the focus.
  const choice = (label: string, of: readonly string[], tabIndex?: number) => (
    <label class="choice-cell">
      <input
        type="checkbox"
        aria-label={label}
        tabIndex={tabIndex}
        checked={of.every((id) => chosen.has(id))}
        onChange={({ currentTarget }) => onChoose(of, currentTarget.checked)}
      />
    </label>
  );
  return (
    <table class="items animals" aria-busy={isBusy}>
      <caption class="visually-hidden">Animals</caption>
      <thead>
        <tr>
          <th class="choice-column">{choice("Choose all", ids)}</th>
          <th scope="col">Id</th>
          <th scope="col">Name</th>
          <th scope="col">Category</th>
          {PLAIN_MEMBERS.map((name) => (
            <th key={name} scope="col">
              {LABELS[name]}
            </th>
          ))}
          <th scope="col">Status</th>
          <th scope="col">
            <span class="visually-hidden">Copy</span>
          </th>
        </tr>
      </thead>
      <SlidingBody arrived={marks.arrived}>
        {animals.map((animal) => (
          <tr
            key={String(animal.id)}
            class={String(animal.id) === highlighted ? "highlighted" : markOf(animal, marks)}
            aria-current={String(animal.id) === view.animal ? "true" : undefined}
            onClick={onRow(() => go({ animal: String(animal.id) }))}
          >
            <td class="choice-column">{choice(`Choose animal ${animal.id}`, [String(animal.id)], -1)}</td>
            <td class="number" data-label="Id">
              {String(animal.id)}
            </td>
            <td class="name">
              <ViewLink {...{ view, go }} to={{ animal: String(animal.id) }} class="link">
                <AnimalName name={animal.name} class="clamped" />
              </ViewLink>
            </td>
            <td class="number" data-label="Category">
              {String(animal.categoryId)}
            </td>
            {PLAIN_MEMBERS.map((name) => {
              const text = textOf(animal, name);
              return (
                <td key={name} class="text" data-label={LABELS[name]}>
                  {text && <AnimalName name={text} class="clamped" />}
                </td>
              );
            })}
            <td class="state">
              <StatusLabel status={animal.status} isChanged={marks.changed.has(String(animal.id))} />
            </td>
            <td class="row-menu-cell">
              <AnimalMenu animal={animal} isInRow />
            </td>
          </tr>
        ))}
      </SlidingBody>
    </table>
  );
}
