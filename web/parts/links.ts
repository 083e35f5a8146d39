/**
 * The relative path from a page to the root: `../../` from `/docs/errors/x`. Links between pages are relative, since a
 * proxy may serve the service below a path of its own.
 */
export function rootFrom(path: string): string {
  const depth = path.split("/").length - 2;
  return depth === 0 ? "./" : "../".repeat(depth);
}

/** A link from one page to another, both given by their paths from the root; the second may end in `#id`. */
export function linkFrom(path: string, to: string): string {
  return to.startsWith(`${path}#`) ? to.slice(path.length) : rootFrom(path) + to.slice(1);
}
