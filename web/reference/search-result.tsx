/** @jsxImportSource preact */
import { useEffect, useRef } from "preact/hooks";
import type { Finding } from "./find.ts";

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
      <span class="finding-kind">{kind}</span>
      <span class="finding-text">
        <Marked text={finding.excerpt} words={finding.marks} />
      </span>
      {finding.missing && <span class="finding-text">Without: {finding.missing}</span>}
    </a>
  );
}

/** A text with words marked. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  const pattern = new RegExp(`(${words.map(escaped).join("|")})`, "gi");
  return <>{text.split(pattern).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

/** A word as a pattern that matches it alone. `RegExp.escape` is missing before Chrome 136 and Safari 18.2. */
function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
