import { followReading } from "./follow-reading.ts";
import { showCurrent } from "./show-current.ts";

/** Marks the section that is being read in the navigation, and in the address. */
export function markSection(): void {
  const selector = '.sidebar a[href^="#"], .on-this-page a[href^="#"]';
  const links = [...document.querySelectorAll<HTMLAnchorElement>(selector)];
  const sections = links.map(({ hash }) => document.getElementById(hash.slice(1)));
  const inSight = new Set<Element>();
  let current = -1;
  const follow = followReading(() => sections[current]?.id);
  // The section being read is the last section that reaches into the upper third of the window.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inSight.add(target);
        else inSight.delete(target);
      }
      current = sections.findLastIndex((section) => section && inSight.has(section));
      for (const [at, link] of links.entries()) {
        if (at === current) link.setAttribute("aria-current", "location");
        else link.removeAttribute("aria-current");
      }
      showCurrent();
      follow();
    },
    { rootMargin: "0px 0px -67% 0px" },
  );
  for (const section of sections) if (section) observer.observe(section);
}
