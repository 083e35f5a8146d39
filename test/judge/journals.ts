import type { JournalRequest } from "../../judge/journal.ts";
import type { Run } from "../../judge/rule.ts";

/** A request as a journal shows it, but for what a test leaves out. */
export interface Sent extends Partial<Omit<JournalRequest, "response" | "fault">> {
  readonly fault?: string;
  readonly status?: number;
  readonly answer?: Readonly<Record<string, string>>;
  readonly answerBody?: string;
}

/** A run of these requests, a second apart. */
export function runOf(sent: readonly Sent[], other: Partial<Omit<Run, "requests">> = {}): Run {
  const requests = sent.map(({ fault, status = 200, answer = {}, answerBody = null, ...rest }, index) => {
    const elapsedMs = rest.elapsedMs ?? 1000 * index;
    return {
      id: index + 1,
      method: "GET",
      target: "/v1/pets",
      operation: "listPets",
      headers: {},
      body: null,
      ...rest,
      elapsedMs,
      fault: fault === undefined ? null : { fault },
      response: fault === "reset" ? null : { status, elapsedMs, headers: answer, body: answerBody },
    };
  });
  return {
    name: "broken connections",
    exitCode: 0,
    output: "",
    placed: "9007199254740993",
    ...other,
    requests,
  };
}
