/** What a judge must know of an operation. */
interface JudgedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** `undefined` if any valid key may ask, so that no key is refused. */
  readonly scope: string | undefined;
}

/** A run of a client's command, by what happens to its requests. */
export type RunName = "undisturbed" | "without deprecation" | "broken connections" | "outages" | "refusals";

/** What a judge arranges for a run. */
interface Arrangement {
  readonly name: RunName;
  /** As the control interface of a sandbox takes them. */
  readonly faults: readonly object[];
}

/**
 * The runs of a judgement. In those with faults the first request of each operation meets its fault, and the second
 * succeeds. A client that gives up after one kind of fault meets the other kinds all the same. In the second run no
 * operation is deprecated, so that a program which always says so is found out.
 */
export function runsOf(operations: readonly JudgedOperation[]): readonly Arrangement[] {
  const firstOfEach = (faultOf: (operation: JudgedOperation, at: number) => string) =>
    operations.map((operation, at) => ({
      fault: faultOf(operation, at),
      operation: operation.id,
      count: 1,
    }));
  return [
    { name: "undisturbed", faults: [] },
    { name: "without deprecation", faults: [] },
    { name: "broken connections", faults: firstOfEach(breakOf) },
    { name: "outages", faults: firstOfEach((_, at) => OUTAGES[at % OUTAGES.length] as string) },
    {
      name: "refusals",
      faults: firstOfEach(() => "403").filter((_, at) => operations[at]?.scope !== undefined),
    },
  ];
}

/** By turns, so that lists, single items and writes meet different ones. */
const OUTAGES = ["429", "503", "502"];

/** What breaks of a response: of a write all of it, of an item its end, of a list the connection. */
function breakOf({ method, path }: JudgedOperation): string {
  if (method !== "GET") return "lost";
  return path.includes("{") ? "cut" : "reset";
}
