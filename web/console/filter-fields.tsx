/** @jsxImportSource preact */
import { capitalized } from "../parts/capitalized.ts";
import { filtersOf } from "./filters.ts";
import { IdForm } from "./id-form.tsx";
import { FIRST_PAGE, type Go, type View } from "./view.ts";

/** A field for each filter of a list, other than the one by status. */
export function FilterFields({ view, go }: { view: View; go: Go }) {
  return filtersOf(view).map(({ name, words, placeholder, value }) => {
    const filterBy = (text: string) => go({ ...FIRST_PAGE, [name]: text });
    return (
      <IdForm
        key={name + value}
        id={`${name}-filter`}
        label={`${capitalized(view.section)} ${words}`}
        placeholder={placeholder}
        action="Filter"
        initial={value}
        onSubmit={filterBy}
      >
        {value ? (
          <button type="button" class="button" onClick={() => filterBy("")}>
            Clear
          </button>
        ) : null}
      </IdForm>
    );
  });
}
