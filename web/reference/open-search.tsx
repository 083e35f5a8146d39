/** @jsxImportSource preact */
// Loaded when a reader of a page below `/docs` first wants to search.
import { render } from "preact";
import { Search } from "./search.tsx";

/** Shows the search over the documentation. */
export function openSearch(): void {
  render(<Search />, document.body.appendChild(document.createElement("div")));
}
