import type { Kind } from "../side.ts";
import type { Row, Section } from "./section.ts";
import { number } from "./text.ts";

const WIDTH = 860;
const LABELS = 270;
const FIGURES = 190;
const BARS = WIDTH - LABELS - FIGURES - 20;
const ROW = 24;
const BAR = 14;
const TITLE = 34;
const GAP = 22;
const TOP = 56;

// Both schemes have a ground of their own: a picture in a page cannot see what it lies on.
const STYLE = `
  :root { --ground: #ffffff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0; --ours: #0b6e4f; --limit: #8c959f; --peer: #b6582b }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --ours: #3fb984; --limit: #6e7681; --peer: #e0895a }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--text) }
  .title { font-weight: 600 }
  .faint { fill: var(--faint); font-size: 12px }
  .ours { fill: var(--ours) } .limit { fill: var(--limit) } .peer { fill: var(--peer) }
  .spread { stroke: var(--text); stroke-width: 1.2 }
  .axis { stroke: var(--line) }`;

const LEGEND: readonly (readonly [Kind, string])[] = [
  ["ours", "Animal Store"],
  ["limit", "a yardstick, which does less"],
  ["peer", "what one might take instead"],
];

/** Requests a second by side, a panel for each section that has them, as an SVG for light and for dark pages. */
export function drawPicture(sections: readonly Section[]): string {
  const panels = sections
    .map((section) => ({ ...section, rows: section.rows.filter((row) => row.figures.requestsPerSecond) }))
    .filter(({ rows }) => rows.length > 0);
  const parts: string[] = [];
  let y = TOP;
  for (const panel of panels) {
    parts.push(drawPanel(panel, y));
    y += TITLE + panel.rows.length * ROW + GAP;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-labelledby="title">
<title id="title">Requests a second, by server: ${escaped(panels.map(({ title }) => title).join("; "))}</title>
<style>${STYLE}
</style>
<rect width="${WIDTH}" height="${y}" fill="var(--ground)"/>
${drawLegend()}
${parts.join("\n")}
</svg>
`;
}

function drawLegend(): string {
  let x = 16;
  const parts = LEGEND.map(([kind, label]) => {
    const part = `<rect class="${kind}" x="${x}" y="18" width="12" height="12" rx="2"/><text x="${x + 18}" y="28.5">${label}</text>`;
    x += 42 + label.length * 7;
    return part;
  });
  return parts.join("\n");
}

function drawPanel({ title, rows }: Section, top: number): string {
  const most = Math.max(...rows.map(({ figures }) => figures.requestsPerSecond?.max ?? 0));
  const scale = (value: number) => LABELS + (value / most) * BARS;
  const bottom = top + TITLE + rows.length * ROW - 6;
  return [
    `<text class="title" x="16" y="${top + 10}">${escaped(title)}</text>`,
    `<text class="faint" x="${WIDTH - 16}" y="${top + 10}" text-anchor="end">requests/s · CPU µs each</text>`,
    `<line class="axis" x1="${LABELS}" y1="${top + TITLE - 10}" x2="${LABELS}" y2="${bottom}"/>`,
    ...rows.map((row, index) => drawRow(row, top + TITLE + index * ROW, scale)),
  ].join("\n");
}

function drawRow({ name, kind, figures }: Row, y: number, scale: (value: number) => number): string {
  const { requestsPerSecond: rate, cpuPerRequest: cpu } = figures;
  if (!rate) return "";
  const middle = y + BAR / 2;
  const round = (value: number) => Math.round(value * 10) / 10;
  const said = `${number(rate.median, 0)}${cpu ? ` · ${number(cpu.median, cpu.median < 100 ? 1 : 0)}` : ""}`;
  return [
    `<text x="${LABELS - 10}" y="${middle + 4.5}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${LABELS}" y="${y}" width="${round(Math.max(1, scale(rate.median) - LABELS))}" height="${BAR}" rx="2"/>`,
    `<line class="spread" x1="${round(scale(rate.min))}" y1="${middle}" x2="${round(scale(rate.max))}" y2="${middle}"/>`,
    `<text class="faint" x="${WIDTH - 16}" y="${middle + 4.5}" text-anchor="end">${said}</text>`,
  ].join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
