const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };
/** Where the focus is while the keys act. */
const PLACES =
  "body:not(:has(:modal:not(.panel), :popover-open)), .items .link, .panel :is(h2, .icon-button)";

/**
 * `j` and `k` focus the next and the previous row, or open the next and the previous item where a panel is open; `x` chooses
 * the row that has the focus. Fields keep their letters, and nothing moves behind a dialog or a menu.
 */
export function listenForRowKeys(): void {
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    const focused = target as Element;
    if (ctrlKey || metaKey || altKey || !focused.matches(PLACES)) return;
    const row = focused.closest("tr");
    if (key === "x") row?.querySelector("input")?.click();
    const step = STEPS[key];
    if (!step) return;
    const button = document.querySelector<HTMLElement>(step > 0 ? ".panel-next" : ".panel-previous");
    if (button) return button.click();
    const rows = [...document.querySelectorAll(".items tbody tr")];
    const at = row ? rows.indexOf(row) + step : 0;
    rows[at]?.querySelector<HTMLElement>(".link")?.focus();
  });
}
