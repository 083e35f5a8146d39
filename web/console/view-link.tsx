/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { addressOf, type Go, type View, withChange } from "./view.ts";

/** A link to another view. A plain click opens it here; the browser can open it in a tab of its own. */
export function ViewLink(props: {
  readonly view: View;
  readonly go: Go;
  /** How the other view differs from this one. */
  readonly to: Partial<View>;
  readonly class?: string;
  readonly "aria-current"?: "page" | undefined;
  readonly children: ComponentChildren;
}) {
  const { view, go, to, ...rest } = props;
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={addressOf(withChange(view, to))} onClick={follow} {...rest} />;
}
