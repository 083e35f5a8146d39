/** Scrolls the navigation, and nothing else, so that it shows where the reader is. */
export function showCurrent(): void {
  const sidebar = document.getElementById("sidebar");
  const current = sidebar?.querySelector("[aria-current]");
  if (!sidebar || !current) return;
  const { top, bottom } = current.getBoundingClientRect();
  const frame = sidebar.getBoundingClientRect();
  // The environment and search stand above the links that are scrolled.
  const search = sidebar.querySelector(".sidebar-top")?.getBoundingClientRect().bottom ?? 0;
  if (top >= Math.max(frame.top, search) && bottom <= frame.bottom) return;
  sidebar.scrollTop += top - frame.top - frame.height / 2;
}
