/** @jsxImportSource preact */
import { Status } from "../parts/labels.tsx";
import { linkFrom } from "../parts/links.ts";

/** The "not found" page, with navigation and search beside it. */
export function MissingPage({ path }: { path: string }) {
  return (
    <main id="main" class="guide" tabindex={-1}>
      <article>
        <p class="lead">
          <Status status={404} /> Not Found
        </p>
        <h1 data-missing>There is no page here</h1>
        <p>
          The address may be mistyped, or belong to another version of this service. Search finds every
          operation, error and guide of this one.
        </p>
        <ul class="plain-list">
          <li>
            <a href={linkFrom(path, "/docs")}>API reference</a>
          </li>
          <li>
            <a href={linkFrom(path, "/docs/errors")}>Errors</a>
          </li>
          <li>
            <a href={linkFrom(path, "/docs/guides/start")}>The first request</a>
          </li>
          <li>
            <a href={linkFrom(path, "/")}>Console</a>
          </li>
        </ul>
      </article>
    </main>
  );
}
