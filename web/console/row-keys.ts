const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

/**
 * Lets the keys `j` and `k` lead to the next and the previous row, or to what is next of it in the panel, and `x` choose the
 * row that has the focus. No field gets its letters from here, and nothing but a row or a panel gives them up.
 */
export function listenForRowKeys(): void {
  document.addEventListener("keydown", ({ key, target, ctrlKey, metaKey, altKey }) => {
    const focused = target as Element;
    if (ctrlKey || metaKey || altKey || !focused.matches("body, .items .link, .panel :is(h2, .icon-button)"))
      return;
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
