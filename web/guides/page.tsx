/** @jsxImportSource preact */
import type { Heading } from "../build/markdown.ts";
import { Html } from "../parts/html.tsx";

/** A page by its address from here. */
interface Neighbour {
  readonly href: string;
  readonly title: string;
}

/** A guide, with its sections beside it where there is room. */
export function GuidePage(props: {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The pages before and after this one in the navigation. */
  readonly previous?: Neighbour | undefined;
  readonly next?: Neighbour | undefined;
}) {
  const { html, headings, previous, next } = props;
  const sections = headings.filter(({ depth }) => depth <= 2);
  return (
    <main id="main" class="guide" tabindex={-1}>
      <article>
        <Html class="prose" html={html} />
        {previous || next ? (
          <nav class="next-page" aria-label="Neighbouring pages">
            {previous ? <NeighbourLink word="Previous" to={previous} /> : null}
            {next ? <NeighbourLink word="Next" to={next} /> : null}
          </nav>
        ) : null}
      </article>
      {sections.length > 1 ? (
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

function NeighbourLink({ word, to }: { word: string; to: Neighbour }) {
  return (
    <a href={to.href} rel={word === "Next" ? "next" : "prev"}>
      <span class="hint">{word}</span> {to.title}
    </a>
  );
}
