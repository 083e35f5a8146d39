import { readJson } from "../../domain/json-reader.ts";

/**
 * An OpenAPI document as YAML 1.2, in block style. The library is loaded on the first request for it. It could also read
 * the JSON, but that would triple the time in which no other request is answered.
 *
 * @param json the document as JSON; its integers stay exact
 */
export async function openApiYaml(json: string): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(readJson(json), { aliasDuplicateObjects: false, lineWidth: 0 });
}
