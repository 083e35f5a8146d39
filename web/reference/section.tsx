/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

/**
 * A section that its title links to: the explanation on one side, examples on the other. Where there is one column, the
 * examples follow the introduction, and the details come last.
 */
export function Section(props: {
  readonly class: "operation" | "object";
  readonly id: string;
  readonly title: string;
  readonly examples: ComponentChildren;
  /** Its members, responses and errors. */
  readonly details: ComponentChildren;
  /** What it is. */
  readonly children: ComponentChildren;
}) {
  const { id, title, examples, details, children } = props;
  return (
    <section class={props.class} id={id} aria-labelledby={`${id}-title`}>
      <div class="explanation">
        <h2 id={`${id}-title`}>
          <a class="anchor" href={`#${id}`}>
            {title}
          </a>
        </h2>
        {children}
      </div>
      <div class="examples">{examples}</div>
      <div class="explanation">{details}</div>
    </section>
  );
}
