// A group that repeats for each character takes time in proportion to the square of a header's length.
const LINK = /<([^<>]*)>([^<"]*(?:"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)[^<"]*)*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s;,"]*)))?/g;

/** The target of the first link with a relation in a `Link` header (RFC 8288), as it is written there. */
export function linkTo(relation: string, header: string | null): string | undefined {
  for (const [, target, parameters = ""] of header?.matchAll(LINK) ?? []) {
    const rel = [...parameters.matchAll(PARAMETER)].find(([, name]) => name?.toLowerCase() === "rel");
    const relations = (rel?.[2] ?? rel?.[3] ?? "").toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target;
  }
  return undefined;
}
