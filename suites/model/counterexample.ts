type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** A counterexample of TLC, for people: for each step, its action and what it has changed. */
export function readable(output: string): string {
  let before: Value = {};
  const steps = [...output.matchAll(/^State ([0-9]+): <(\w+).*\n([\s\S]*?)(?:\n\n|$(?![\s\S]))/gm)];
  const lines = steps.map(([, number, action, text = ""]) => {
    const state = Object.fromEntries(
      text.split(/^\/\\ /m).flatMap((part) => {
        const at = part.indexOf(" = ");
        return at < 0 ? [] : [[part.slice(0, at), parse(part.slice(at + 3))]];
      }),
    );
    // The first state is the beginning that the model describes.
    const changes = number === "1" ? [] : differences(before, state, "");
    before = state;
    return [`${number?.padStart(2)}. ${action}`, ...changes.map((change) => `      ${change}`)].join("\n");
  });
  return lines.join("\n");
}

function differences(before: Value | undefined, after: Value, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [`${path}: ${show(before)} → ${show(after)}`];
  return Object.entries(after).flatMap(([name, value]) =>
    differences(before[name], value, path === "" ? name : `${path}.${name}`),
  );
}

function isRecord(value: Value | undefined): value is { readonly [name: string]: Value } {
  return typeof value === "object" && !Array.isArray(value);
}

function show(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (!isRecord(value)) return String(value);
  const { kind, token, ...rest } = value;
  // An entry of a log: animal 1.
  if (kind !== undefined && Object.keys(rest).length === 0) return `${kind} ${token}`;
  const members = Object.entries(value).map(([name, each]) => `${name} ${show(each)}`);
  return `(${members.join(", ")})`;
}

/** Parses a value as TLC prints it; a set as a sequence. */
function parse(text: string): Value {
  const json = text
    .replaceAll(/<<|\{/g, "⟨")
    .replaceAll(/>>|\}/g, "⟩")
    .replaceAll(/[[(]/g, "{")
    .replaceAll(/[\])]/g, "}")
    .replaceAll("⟨", "[")
    .replaceAll("⟩", "]")
    .replaceAll("@@", ",")
    .replaceAll(/(\w+)\s*(?:\|->|:>)/g, '"$1":')
    .replaceAll(/"[^"]*"|[A-Za-z]\w*/g, (found) => {
      if (found.startsWith('"')) return found;
      return found === "TRUE" || found === "FALSE" ? found.toLowerCase() : `"${found}"`;
    });
  return JSON.parse(json) as Value;
}
