import { IN_TAB, keepText, keptText } from "./kept.ts";

const NAME = "animal-store.recent";
const KEPT_MAX = 8;

/** A place that this tab has shown. */
interface RecentPlace {
  /** From the site's root, without a leading slash and without a space. */
  readonly to: string;
  readonly title: string;
}

/** The places that this tab has shown, the latest first. */
export function recentPlaces(): readonly RecentPlace[] {
  return lines().map((line) => {
    const [to = ""] = line.split(" ", 1);
    return { to, title: line.slice(to.length + 1) };
  });
}

/** Remembers that a place was shown, where the browser allows it. Names of animals stay out of it: they go with the key. */
export function rememberPlace({ to, title }: RecentPlace): void {
  const others = lines().filter((line) => !line.startsWith(`${to} `));
  keepText(IN_TAB, NAME, [`${to} ${title}`, ...others].slice(0, KEPT_MAX).join("\n"));
}

function lines(): string[] {
  return keptText(IN_TAB, NAME).split("\n").filter(Boolean);
}
