/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { SCHEME_NAME, SCHEMES } from "../model/schemes.ts";
import { IN_BROWSER, keepText } from "./kept.ts";

/** The choice between light, dark and what the system says. It applies to every page, and to the next visit. */
export function SchemeChoice({ id }: { id: string }) {
  const root = document.documentElement;
  const [scheme, setScheme] = useState(root.dataset.scheme ?? "");
  const choose = (chosen: string) => {
    setScheme(chosen);
    if (chosen) root.dataset.scheme = chosen;
    else delete root.dataset.scheme;
    keepText(IN_BROWSER, SCHEME_NAME, chosen);
  };
  return (
    <p class="scheme">
      <label for={id}>Colors</label>
      <select
        id={id}
        class="input"
        value={scheme}
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="">As the system</option>
        {SCHEMES.map((each) => (
          <option key={each} value={each}>
            {each === "light" ? "Light" : "Dark"}
          </option>
        ))}
      </select>
    </p>
  );
}
