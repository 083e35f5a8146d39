/** How long a page has to stand still, in milliseconds: Safari allows 100 changes of the address in 30 s. */
const STILL_MS = 200;

/**
 * Makes the address name the section that is being read, so that a copied address leads there.
 *
 * @returns a function to call when the section has changed, which a busy browser may find out after the page stands still
 */
export function followReading(section: () => string | undefined): () => void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let hasScrolled = false;
  const write = () => {
    const id = section();
    // What the reader chose stays in the address while it is in sight.
    if (isInSight(document.getElementById(decodeURIComponent(location.hash.slice(1))))) return;
    if (id ? location.hash !== `#${id}` : scrollY < innerHeight / 3 && location.hash)
      history.replaceState(history.state, "", id ? `#${id}` : location.pathname + location.search);
  };
  const wait = () => {
    if (!hasScrolled) return;
    clearTimeout(waiting);
    waiting = setTimeout(write, STILL_MS);
  };
  addEventListener(
    "scroll",
    () => {
      hasScrolled = true;
      wait();
    },
    { passive: true },
  );
  return wait;
}

function isInSight(element: Element | null): boolean {
  const top = element?.getBoundingClientRect().top;
  return top !== undefined && top >= 0 && top < innerHeight;
}
