import { createPet } from "../../../client/contract.ts";
import { randomId } from "../../../client/request.ts";
import { messageOf } from "../../browser/refusal.ts";
import { resultOf } from "../result.ts";
import type { Service } from "../service.ts";
import type { AnimalRow } from "./animal-file.ts";
import { patientCall } from "./patient-call.ts";

/** A row that was not added, or will not be. */
export interface RefusedRow {
  readonly row: AnimalRow;
  readonly why: string;
}

/** How far an import has come. */
export interface ImportProgress {
  readonly added: number;
  /** In the order of their lines. */
  readonly refused: readonly RefusedRow[];
  /** Why the service is asked again; empty while it answers. */
  readonly waiting: string;
}

/** Why an import does not go on: the response's status, or the reader's wish. */
export type ImportEnd =
  | { readonly kind: "done" | "stopped" | "key refused" }
  | { readonly kind: "forbidden"; readonly message: string };

/**
 * Adds the rows of a file one after the other, so that their ids ascend. Each row has an `Idempotency-Key` of its own for as
 * long as this import lasts: a row whose response was lost is sent again, and is added once.
 */
export class ImportRun {
  readonly #service: Pick<Service, "call">;
  readonly #rows: readonly { readonly row: AnimalRow; readonly key: string }[];
  #next = 0;
  #added = 0;
  readonly #refused: RefusedRow[];

  constructor(service: Pick<Service, "call">, rows: readonly AnimalRow[]) {
    this.#service = service;
    this.#rows = rows.filter(({ body }) => body !== undefined).map((row) => ({ row, key: randomId() }));
    this.#refused = rows.filter(({ fault }) => fault).map((row) => ({ row, why: row.fault }));
  }

  /** How many rows the service has added or refused. */
  get settled(): number {
    return this.#next;
  }

  /** The rows that were not settled. */
  get rest(): readonly AnimalRow[] {
    return this.#rows.slice(this.#next).map(({ row }) => row);
  }

  /** Begins, or continues where it stopped. */
  async run(signal: AbortSignal, onProgress: (progress: ImportProgress) => void): Promise<ImportEnd> {
    const report = (waiting: string) => onProgress({ added: this.#added, refused: this.#inOrder(), waiting });
    report("");
    for (let at = this.#rows[this.#next]; at; at = this.#rows[this.#next]) {
      const { row, key } = at;
      const headers = { "Content-Type": "application/json", "Idempotency-Key": key };
      const call = { method: "POST", path: "/pets", headers, body: row.body };
      const response = await patientCall(this.#service, call, signal, report);
      if (!response) return { kind: "stopped" };
      if (response.status === 401) return { kind: "key refused" };
      if (response.status === 403) return { kind: "forbidden", message: messageOf(response) };
      if (resultOf(response, createPet)) this.#added++;
      else this.#refused.push({ row, why: messageOf(response) });
      this.#next++;
      report("");
      if (signal.aborted) return { kind: this.#next < this.#rows.length ? "stopped" : "done" };
    }
    return { kind: "done" };
  }

  /** The refused rows as the file has them: those that cannot be read are known before any other. */
  #inOrder(): readonly RefusedRow[] {
    return this.#refused.toSorted((one, other) => one.row.line - other.row.line);
  }
}

/** The rows that were refused and those that were not sent, as `animal-store import --skip-bad` writes them. */
export function rejectsFile(
  header: string,
  refused: readonly RefusedRow[],
  rest: readonly AnimalRow[],
): string {
  const lines = refused.flatMap(({ row, why }) => [`# line ${row.line}: ${why}`, row.text]);
  return [header, ...lines, ...rest.map(({ text }) => text), ""].join("\r\n");
}
