/** @jsxImportSource preact */
import type { Heading } from "../build/markdown.ts";
import { Html } from "../parts/html.tsx";

/** A guide, with its sections beside it where there is room. */
export function GuidePage({ html, headings }: { html: string; headings: readonly Heading[] }) {
  const sections = headings.filter(({ depth }) => depth === 2);
  return (
    <main id="main" class="guide" tabindex={-1}>
      <article>
        <Html class="prose" html={html} />
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
