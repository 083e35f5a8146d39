/** @jsxImportSource preact */
import { useEffect, useRef } from "preact/hooks";
import { folded } from "../model/folded.ts";
import type { Finding } from "./find.ts";
import { Marked } from "./marked.tsx";

const { root = "./" } = document.documentElement.dataset;

/** Where a finding leads. */
export function addressOf({ entry }: Finding): string {
  return root + entry.to;
}

/** A finding, with what the query found marked. */
export function SearchResult(props: {
  readonly finding: Finding;
  readonly id: string;
  readonly isActive: boolean;
  readonly onChoose: (event: MouseEvent) => void;
}) {
  const { finding, id, isActive, onChoose } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isActive) link.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  const { title, kind } = finding.entry;
  const inTitle = folded(title);
  return (
    <a
      ref={link}
      id={id}
      class="finding"
      href={addressOf(finding)}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      onClick={onChoose}
    >
      <span class="finding-title">
        <bdi>
          <Marked text={title} words={finding.marks} />
        </bdi>
      </span>
      <span class="finding-kind">
        {/* What the title has says more. */}
        <Marked text={kind} words={finding.marks.filter((mark) => !inTitle.includes(folded(mark)))} />
      </span>
      {finding.excerpt ? (
        <span class="finding-text">
          <Marked text={finding.excerpt} words={finding.marks} />
        </span>
      ) : null}
      {finding.missing && <span class="finding-text">Without: {finding.missing}</span>}
    </a>
  );
}
