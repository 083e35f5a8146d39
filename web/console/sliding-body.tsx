/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Marks } from "./use-list.ts";

const SLIDE_MS = 300;

/** The rows of a table. A row that arrives at the top slides out from below the head, and the others make room. */
export function SlidingBody(props: {
  readonly arrived: ReadonlySet<string>;
  readonly children: ComponentChildren;
}) {
  const { arrived, children } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const height = useRef(0);
  const before = useRef(arrived);
  useLayoutEffect(() => {
    const element = body.current as HTMLElement;
    const grown = element.offsetHeight - height.current;
    height.current = element.offsetHeight;
    const isNew = arrived.size > before.current.size;
    before.current = arrived;
    // Where its top is out of sight, the browser keeps what is in sight where it is.
    const isInSight = element.getBoundingClientRect().top > 0;
    if (isNew && isInSight && matchMedia("(prefers-reduced-motion: no-preference)").matches)
      element.animate({ translate: [`0 ${-grown}px`, "0"] }, { duration: SLIDE_MS, easing: "ease-out" });
  });
  return <tbody ref={body}>{children}</tbody>;
}

/** The class of an item's row. */
export function markOf({ id }: { readonly id: bigint }, { changed, arrived }: Marks): string | undefined {
  return arrived.has(String(id)) ? "arrived" : changed.has(String(id)) ? "changed" : undefined;
}
