import { createPet } from "../../../client/contract.ts";
import { type Refused, RequestRun } from "../request-run.ts";
import { resultOf } from "../result.ts";
import type { Service } from "../service.ts";
import type { AnimalRow } from "./animal-file.ts";

/** A row that was not added, or will not be. */
export type RefusedRow = Refused<AnimalRow>;

/** Adds the rows of a file that can be read, so that their ids ascend. */
export function importRun(service: Pick<Service, "call">, rows: readonly AnimalRow[]): RequestRun<AnimalRow> {
  return new RequestRun(
    service,
    rows.filter(({ fault }) => !fault),
    ({ body }) => ({ path: "/pets", body }),
    (response) => resultOf(response, createPet) !== undefined,
  );
}

/** The rows that are wrong as they stand in the file, and those that the service refused, by their lines. */
export function inOrder(rows: readonly AnimalRow[], refused: readonly RefusedRow[]): readonly RefusedRow[] {
  const wrong = rows.filter(({ fault }) => fault).map((item) => ({ item, why: item.fault }));
  return [...wrong, ...refused].sort((one, other) => one.item.line - other.item.line);
}

/** The rows that were refused and those that were not sent, as `animal-store import --skip-bad` writes them. */
export function rejectsFile(
  header: string,
  refused: readonly RefusedRow[],
  rest: readonly AnimalRow[],
): string {
  const lines = refused.flatMap(({ item, why }) => [`# line ${item.line}: ${why}`, item.text]);
  return [header, ...lines, ...rest.map(({ text }) => text), ""].join("\r\n");
}
