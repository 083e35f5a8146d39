/** Scrolls the navigation, and nothing else, so that it shows where the reader is. */
export function showCurrent(): void {
  const sidebar = document.getElementById("sidebar");
  const current = sidebar?.querySelector("[aria-current]");
  if (!sidebar || !current) return;
  const { top, bottom } = current.getBoundingClientRect();
  const frame = sidebar.getBoundingClientRect();
  if (top >= frame.top && bottom <= frame.bottom) return;
  sidebar.scrollTop += top - frame.top - frame.height / 2;
}
