/** @jsxImportSource preact */
import { parseExact, printExact } from "../model/exact-json.ts";
import { TryField } from "./try-field.tsx";
import type { TryMember } from "./try-model.ts";

/** A field for each member of a body. They change its text, which stays the truth: it can hold what no field can. */
export function BodyFields(props: {
  readonly members: readonly TryMember[];
  /** The body, as JSON. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const { members, text, onChange } = props;
  const body = objectOf(text);
  if (!body) return <p class="hint">The fields come back once the body is a JSON object.</p>;
  const change = (member: TryMember, value: string) => {
    const { [member.name]: _, ...others } = body;
    // A member keeps its place; without a value it is left out.
    const changed = value === "" ? others : { ...body, [member.name]: typed(member, value) };
    onChange(printExact(changed));
  };
  return (
    <div class="try-fields">
      {members.map((member) => (
        <TryField
          key={member.name}
          field={member}
          value={String(body[member.name] ?? "")}
          onChange={(value) => change(member, value)}
        />
      ))}
    </div>
  );
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseExact(text);
    return typeof value === "object" && value && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** What was typed, as a number where the member is one. Anything else goes as text, and the service says what is right. */
function typed({ isText }: TryMember, value: string): unknown {
  return !isText && /^-?(0|[1-9]\d*)$/.test(value) ? BigInt(value) : value;
}
