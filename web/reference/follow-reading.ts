/** How long a page has to stand still, in milliseconds: Safari allows 100 changes of the address in 30 s. */
const STILL_MS = 200;

/** Makes the address name the section that is being read, so that a copied address leads there. */
export function followReading(section: () => string | undefined): void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  addEventListener(
    "scroll",
    () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const id = section();
        // What the reader chose stays in the address while it is in sight.
        if (isInSight(document.getElementById(decodeURIComponent(location.hash.slice(1))))) return;
        if (id ? location.hash !== `#${id}` : scrollY < innerHeight / 3 && location.hash)
          history.replaceState(history.state, "", id ? `#${id}` : location.pathname + location.search);
      }, STILL_MS);
    },
    { passive: true },
  );
}

function isInSight(element: Element | null): boolean {
  const top = element?.getBoundingClientRect().top;
  return top !== undefined && top >= 0 && top < innerHeight;
}
