/** @jsxImportSource preact */
import type { Heading } from "../build/markdown.ts";
import { Html } from "../parts/html.tsx";

/** A guide, with its sections beside it where there is room. */
export function GuidePage(props: {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The page that a reader may want after this one, by its address from here. */
  readonly next?: { readonly href: string; readonly title: string } | undefined;
}) {
  const { html, headings, next } = props;
  const sections = headings.filter(({ depth }) => depth === 2);
  return (
    <main id="main" class="guide" tabindex={-1}>
      <article>
        <Html class="prose" html={html} />
        {next ? (
          <p class="next-page">
            <a href={next.href}>
              <span class="hint">Next</span> {next.title}
            </a>
          </p>
        ) : null}
      </article>
      {sections.length > 2 ? (
        <nav class="on-this-page" aria-label="On this page">
          <h2>On this page</h2>
          <ul>
            {sections.map(({ id, text }) => (
              <li key={id}>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
    </main>
  );
}
