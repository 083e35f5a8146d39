// Loaded when a reader changes a form: most readers never do, and the writers of samples are a third of the script.
import { BASE } from "../browser/base.ts";
import { readDocument } from "../model/document.ts";
import { layOut } from "../model/exact-json.ts";
import { type Entered, sampleRequest } from "../samples/request.ts";
import { SAMPLE_LANGUAGES } from "../samples/samples.ts";
import { withOwnAddress } from "./own-address.ts";

const { environment = "" } = document.documentElement.dataset;
const api = fetch(new URL("../openapi.json", BASE)).then(async (response) =>
  readDocument(await response.text(), environment),
);

/** The samples of an operation with what a reader has entered, by their languages. */
export async function writeSamples(id: string, entered: Entered): Promise<ReadonlyMap<string, string>> {
  const read = await api;
  const operation = read.operations.find((each) => each.id === id);
  if (!operation) return new Map();
  const body = entered.body === undefined ? undefined : layOut(entered.body);
  const request = sampleRequest(read, operation, { ...entered, body });
  return new Map(
    SAMPLE_LANGUAGES.map((language) => [language.id, withOwnAddress(language.write(request).trimEnd())]),
  );
}
