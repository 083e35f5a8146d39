/** A string, or an integer with more digits than a double is sure to hold. */
const TOKEN = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
/** Marks such an integer on its way through `JSON.parse`. No text of the service begins with it. */
const MARK = "\u0000int64:";

/**
 * Reads JSON with every integer exact: integers that a double may round become bigints.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseExact(json: string): unknown {
  const marked = json.replaceAll(TOKEN, (token) =>
    token.startsWith('"') ? token : JSON.stringify(MARK + token),
  );
  return JSON.parse(marked, (_name, value) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/** Writes a value of `parseExact` as JSON, laid out in lines. */
export function printExact(value: unknown): string {
  return JSON.stringify(
    value,
    (_name, each) => (typeof each === "bigint" ? MARK + each : each),
    2,
  ).replaceAll(/"\\u0000int64:(-?\d+)"/g, "$1");
}

const LAYOUT_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Lays JSON text out in lines and leaves each number and string as it was written; other text stays as it is. */
export function layOut(json: string): string {
  try {
    JSON.parse(json);
  } catch {
    return json;
  }
  let depth = 0;
  let laidOut = "";
  let previous = "";
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of json.matchAll(LAYOUT_TOKEN)) {
    const opens = previous === "{" || previous === "[";
    if (token === "}" || token === "]") {
      depth--;
      laidOut += opens ? token : newLine() + token;
    } else {
      if (opens || previous === ",") laidOut += newLine();
      laidOut += token === ":" ? ": " : token;
      if (token === "{" || token === "[") depth++;
    }
    previous = token;
  }
  return laidOut;
}
