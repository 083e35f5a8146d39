import { csvField } from "../../csv/field.ts";
import type { Column } from "./layout.ts";

/** What rows hold after the members that they spell out: nothing where there are no such members. */
interface LaterMembers {
  /** Each member that the item has, after a comma. */
  toJson(item: object): string;
  /** A field for each member, after a comma: empty where the item lacks it. */
  toCsv(item: object): string;
}

/**
 * The members that came after those of the first release. Rows spell the first ones out, which takes half the time of a loop.
 *
 * @param columns of the whole layout
 * @param spelledOut the names of the first ones
 */
export function laterMembers(columns: readonly Column[], spelledOut: readonly string[]): LaterMembers {
  const later = columns.filter(({ name }) => !spelledOut.includes(name));
  if (later.length === 0) return { toJson: () => "", toCsv: () => "" };
  const valuesOf = (item: object) => {
    const values = item as Readonly<Record<string, bigint | string | undefined>>;
    return later.map(({ name, type }) => ({ name, type, value: values[name] }));
  };
  return {
    toJson: (item) =>
      valuesOf(item)
        .map(({ name, type, value }) => {
          if (value === undefined) return "";
          return `,"${name}":${type === "text" ? JSON.stringify(value) : value}`;
        })
        .join(""),
    toCsv: (item) =>
      valuesOf(item)
        .map(({ value }) => `,${value === undefined ? "" : csvField(`${value}`)}`)
        .join(""),
  };
}
