/** @jsxImportSource preact */
import type { CallerKey } from "../../client/contract.ts";
import { PLACE } from "../browser/environment.ts";
import { shortened, signOutLabel } from "../browser/key.ts";
import { SchemeChoice } from "../browser/scheme.tsx";
import { Brand, EnvironmentBadge } from "../parts/brand.tsx";
import { OPEN_SEARCH } from "../reference/listen-for-search.ts";
import { SearchButton } from "../reference/search-button.tsx";
import { DropDown } from "./drop-down.tsx";
import type { Section } from "./filters.ts";
import { OFFERS_ORDERS } from "./offers.ts";
import { OPEN } from "./statuses.ts";
import { Time } from "./time.tsx";
import { type Go, UNFILTERED, type View } from "./view.ts";
import { ViewLink } from "./view-link.tsx";

/** One line above everything: where this is, its sections, and a menu for the rest. */
export function Header(props: {
  /** What is shown, once there is a key. */
  readonly place?: { readonly view: View; readonly go: Go };
  readonly apiKey?: string;
  readonly caller?: CallerKey | undefined;
  readonly onForget?: () => void;
}) {
  const { place, apiKey, caller, onForget } = props;
  return (
    <header class="console-bar">
      <Brand home="./" />
      <EnvironmentBadge place={PLACE} />
      {place && OFFERS_ORDERS ? <Sections {...place} /> : null}
      <span class="palette-button">
        <SearchButton isSmall />
      </span>
      <nav aria-label="Site">
        <a href="docs">API reference</a>
      </nav>
      <DropDown class="menu" summary="Menu">
        {apiKey ? (
          <p>
            Key <code>{shortened(apiKey)}</code>{" "}
            <button type="button" class="link" onClick={onForget}>
              {signOutLabel()}
            </button>
          </p>
        ) : null}
        {caller ? <KeyFacts {...caller} /> : null}
        <p class="menu-site">
          <a href="docs">API reference</a>{" "}
          <button type="button" class="link" onClick={() => document.dispatchEvent(new Event(OPEN_SEARCH))}>
            Search
          </button>
        </p>
        <SchemeChoice id="scheme" />
      </DropDown>
    </header>
  );
}

/** What the key in use is, and how long it lasts. */
function KeyFacts({ name, environment, scopes, expiresAt }: CallerKey) {
  return (
    <dl class="key-facts">
      <dt>Name</dt>
      <dd>
        <bdi>{name}</bdi>
      </dd>
      <dt>Environment</dt>
      <dd>{environment}</dd>
      <dt>Scopes</dt>
      <dd>{scopes.join(", ") || "none"}</dd>
      <dt>Ends</dt>
      <dd>{expiresAt ? <Time at={expiresAt} /> : "never"}</dd>
    </dl>
  );
}

/** Each with the filter that it begins with: orders are a queue of work. */
const SECTIONS: readonly (readonly [section: Section, title: string, status: string])[] = [
  ["animals", "Animals", ""],
  ["orders", "Orders", OPEN],
];

/** Links, so that each can be opened in a tab of its own. */
function Sections({ view, go }: { view: View; go: Go }) {
  return (
    <nav class="sections" aria-label="Sections">
      {SECTIONS.map(([section, title, status]) => {
        return (
          <ViewLink
            key={section}
            {...{ view, go }}
            to={{ ...UNFILTERED, section, status }}
            aria-current={view.section === section ? "page" : undefined}
          >
            {title}
          </ViewLink>
        );
      })}
    </nav>
  );
}
