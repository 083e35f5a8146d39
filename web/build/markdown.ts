import { Marked, type Token, type Tokens } from "marked";
import { highlight } from "./highlight.ts";

interface MarkdownOptions {
  /** The target of a link; without a target the text stands alone. */
  readonly link?: (href: string) => string | undefined;
  /** The drawing that a file has; without it, its description stands in its place. */
  readonly picture?: (href: string) => { readonly src: string; readonly size: string } | undefined;
}

export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}

interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Renders our own Markdown. Raw HTML in it is left out: nothing but Markdown reaches a page. */
export async function renderMarkdown(
  markdown: string,
  { link = (href) => href, picture = () => undefined }: MarkdownOptions = {},
): Promise<RenderedMarkdown> {
  const headings: Heading[] = [];
  let tables = 0;
  const taken = new Map<string, number>();
  const highlighted = new Map<Tokens.Code, string>();
  const marked = new Marked({
    async: true,
    walkTokens: async (token: Token) => {
      if (token.type === "code")
        highlighted.set(token as Tokens.Code, await highlight(token.text, token.lang ?? ""));
    },
    renderer: {
      html: () => "",
      code: (token) => codeBlock(highlighted.get(token) ?? "", token.lang ?? ""),
      codespan: ({ text }) => `<code>${text.split(" ").map(unbroken).join(" ")}</code>`,
      heading({ tokens, depth, text }) {
        const heading = headingOf(text, depth, taken);
        headings.push(heading);
        const title = this.parser.parseInline(tokens);
        // A link cannot be inside a link, and the page itself is what the first heading names.
        const isAnchor = depth > 1 && !tokens.some(({ type }) => type === "link");
        const content = isAnchor ? `<a class="anchor" href="#${heading.id}">${title}</a>` : title;
        return `<h${depth} id="${heading.id}">${content}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = link(href);
        const text = this.parser.parseInline(tokens);
        return target === undefined ? text : `<a href="${Bun.escapeHTML(target)}">${text}</a>`;
      },
      image({ href, text }) {
        const drawn = picture(href);
        const alt = Bun.escapeHTML(text);
        return drawn
          ? `<img src="${Bun.escapeHTML(drawn.src)}" ${drawn.size} alt="${alt}">`
          : `<em>${alt}</em>`;
      },
      // On a narrow screen the table scrolls by itself, also by keyboard.
      table(token) {
        // A header cell without text is not a header.
        const head = token.header.map(({ text, tokens }) => {
          const tag = text === "" ? "td" : "th";
          return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
        });
        const rows = token.rows.map((cells) => {
          const row = cells.map(({ tokens }, at) => {
            const label = Bun.escapeHTML(plain(token.header[at]?.text ?? ""));
            return `<td data-label="${label}">${this.parser.parseInline(tokens)}</td>`;
          });
          return `<tr>${row.join("")}</tr>`;
        });
        tables++;
        return (
          `<div class="scroll" tabindex="0" role="region" aria-label="Table ${tables}">` +
          `<table${isOfRecords(token) ? ' class="records"' : ""}>` +
          `<thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
        );
      },
    },
  });
  return { html: await marked.parse(markdown), headings };
}

/** Characters of a cell: a longer one has sentences rather than figures. */
const FIGURE_MAX = 60;
/** Characters of a word: beside a longer one, a phone has no room for another column. */
const WORD_MAX = 30;

/** Characters of the longest words of two columns: side by side, a phone has no room for more. */
const WORDS_MAX = 36;

/** Whether the rows of a table are for reading rather than for comparing. */
function isOfRecords({ header, rows }: Tokens.Table): boolean {
  const texts = rows.flat().map(({ text }) => plain(text));
  if (header.length === 2) {
    const words = header.map((_, at) =>
      Math.max(...rows.map((row) => longestWord(plain(row[at]?.text ?? "")))),
    );
    if (words.reduce((sum, length) => sum + length) > WORDS_MAX) return true;
  }
  const hasSentences = header.length > 2 && texts.some((text) => text.length > FIGURE_MAX);
  return hasSentences || texts.some((text) => longestWord(text) > WORD_MAX);
}

function longestWord(text: string): number {
  return Math.max(...text.split(" ").map(({ length }) => length));
}

/** Characters of a name with hyphens that stays on one line, such as `Idempotency-Key`. */
const NAME_MAX = 24;

/** A word of code as HTML. A browser would break a header or an option at each hyphen. */
function unbroken(word: string): string {
  const html = Bun.escapeHTML(word);
  return word.includes("-") && word.length <= NAME_MAX ? `<span class="unbroken">${html}</span>` : html;
}

/** A block of code that can be copied. */
export function codeBlock(html: string, language: string): string {
  return `<div class="code"><pre tabindex="0" data-language="${Bun.escapeHTML(language)}"><code>${html}</code></pre></div>`;
}

/**
 * A heading with an id as GitHub makes it, so that the links in the files work here too.
 * @param taken how often each id was used before it on its page
 */
export function headingOf(markdown: string, depth: number, taken: Map<string, number>): Heading {
  const text = plain(markdown);
  return { id: uniqueId(text, taken), depth, text };
}

function plain(markdown: string): string {
  return markdown.replaceAll(/[`*_]|\[([^\]]*)\]\([^)]*\)/g, "$1");
}

function uniqueId(text: string, taken: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
