/** @jsxImportSource preact */

/** Characters that show nothing, or change the direction of others: format and control characters, odd spaces, fillers. */
const UNSEEN =
  /([\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0\u2800])/u;
/** What joins letters of some scripts and parts of an emoji belongs to them. */
const JOINER = /^[\u200c\u200d]$/;
/** Alternatives, not a class: in browsers, a class that ends a text does not match half of an emoji above U+FFFF. */
const BEFORE_JOINER = /(?:\p{L}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u;
/** A tag belongs to the emoji of a flag. */
const TAG = /^[\u{e0020}-\u{e007f}]$/u;

/** The name of an animal, or another of its texts. What cannot be seen in it is marked by its code. */
export function AnimalName({ name, class: className }: { name: string; class?: string | undefined }) {
  const parts = name.split(UNSEEN);
  return (
    <bdi class={className}>
      {parts.map((part, at) => {
        const isUnseen = at % 2 === 1 && !TAG.test(part);
        const isJoiner = JOINER.test(part) && BEFORE_JOINER.test(parts[at - 1] ?? "") && parts[at + 1] !== "";
        if (!isUnseen || isJoiner) return part;
        return (
          <span class="unseen" key={at}>
            U+{(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}
          </span>
        );
      })}
    </bdi>
  );
}
