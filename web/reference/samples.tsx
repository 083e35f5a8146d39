/** @jsxImportSource preact */
import { Fragment } from "preact";
import { headingOf } from "../build/markdown.ts";
import type { Operation } from "../model/document.ts";
import { Html } from "../parts/html.tsx";
import { SAMPLE_LANGUAGES, samplesPath } from "../samples/samples.ts";

const [FIRST, ...OTHERS] = SAMPLE_LANGUAGES;

/** The sample of an operation in the first language, with links to the others: a script makes tabs of them. */
export function Samples({ operation, html }: { operation: Operation; html: string }) {
  const { id } = headingOf(operation.summary, 2, new Map());
  return (
    <div class="samples" data-samples-of={operation.id}>
      <section data-language={FIRST.id} data-title={FIRST.title}>
        <h3>
          <a href={samplesPath(FIRST).slice(1)}>{FIRST.title}</a>
        </h3>
        <Html html={html} />
      </section>
      <p class="hint other-languages">
        In{" "}
        {OTHERS.map((language, at) => (
          <Fragment key={language.id}>
            {at > 0 ? ", " : ""}
            <a
              href={`${samplesPath(language).slice(1)}#${id}`}
              data-language={language.id}
              data-title={language.title}
            >
              {language.title}
            </a>
          </Fragment>
        ))}
      </p>
    </div>
  );
}
