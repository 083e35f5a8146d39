import type { Judgement } from "../judgement.ts";

/** Of a character of the font, in pixels, on average; `textLength` makes the text fit. */
const CHARACTER_WIDTH = 6.6;
const PADDING = 6;

/**
 * A judgement as a badge for a README, as SVG.
 *
 * @param who is judged: `client`, say
 */
export function toBadge(who: string, { score }: Judgement): string {
  const label = `${who} judged`;
  const value = score === null ? "untested" : `${score} of 100`;
  const colour = score === null ? "#6e7681" : score === 100 ? "#1a7f37" : score >= 75 ? "#9a6700" : "#cf222e";
  const [labelWidth, valueWidth] = [widthOf(label), widthOf(value)];
  const width = labelWidth + valueWidth;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${value}">
  <title>${label}: ${value}</title>
  <rect width="${width}" height="20" rx="3" fill="#3d444d"/>
  <path d="M${labelWidth} 0h${valueWidth - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${labelWidth}z" fill="${colour}"/>
  <g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">
    ${textAt(label, 0, labelWidth)}
    ${textAt(value, labelWidth, valueWidth)}
  </g>
</svg>
`;
}

function widthOf(text: string): number {
  return Math.round(text.length * CHARACTER_WIDTH) + 2 * PADDING;
}

function textAt(text: string, left: number, width: number): string {
  return `<text x="${left + PADDING}" y="14" textLength="${width - 2 * PADDING}">${text}</text>`;
}
