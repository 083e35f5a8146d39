/**
 * An OpenAPI document as YAML 1.2, in block style. The library is loaded on the first request for it.
 *
 * @param json the document as JSON; its integers stay exact
 */
export async function openApiYaml(json: string): Promise<string> {
  const { parse, stringify } = await import("yaml");
  return stringify(parse(json, { intAsBigInt: true }), { aliasDuplicateObjects: false, lineWidth: 0 });
}
