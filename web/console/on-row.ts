/** A handler for a row that opens where it is clicked, unless the click is for something in it or ends a selection. */
export function onRow(open: () => void): (event: MouseEvent) => void {
  return ({ target }) => {
    const isOwn = (target as Element).closest("button, a, label, fieldset, [popover]");
    if (!isOwn && !getSelection()?.toString()) open();
  };
}
