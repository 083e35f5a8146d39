import { type ComponentChild, render } from "preact";

/**
 * Shows a dialog outside the console's own tree: it stays until it is closed, even if the console signs out meanwhile.
 *
 * @returns what takes it away
 */
export function openDialog(dialog: ComponentChild): () => void {
  const place = document.body.appendChild(document.createElement("div"));
  render(dialog, place);
  return () => {
    render(null, place);
    place.remove();
  };
}
