import { Database, type Statement } from "bun:sqlite";

/** What a statement was given as parameters, once. */
type Given = Parameters<Statement["all"]>;

/** Statements of this thread, by their text: with what parameters each has been carried out. */
export interface RecordedStatements extends Disposable {
  readonly given: ReadonlyMap<string, readonly Given[]>;
}

const METHODS = ["all", "get", "run", "values", "iterate"] as const;

/**
 * Records which statements the store prepares on this thread from now on, and which it carries out. Statements of other
 * threads, as the writer's, are not seen.
 */
export function recordStatements(): RecordedStatements {
  const given = new Map<string, Given[]>();
  const seen = new WeakSet<Statement>();
  const { prepare, query, run } = Database.prototype;
  const record = (text: string, statement: Statement): Statement => {
    const all = given.get(text) ?? [];
    given.set(text, all);
    if (seen.has(statement)) return statement;
    seen.add(statement);
    for (const method of METHODS) {
      const carryOut = statement[method].bind(statement) as (...parameters: Given) => never;
      statement[method] = (...parameters: Given) => {
        all.push(parameters);
        return carryOut(...parameters);
      };
    }
    return statement;
  };
  Database.prototype.prepare = function (text: string, ...rest: never[]) {
    return record(text, prepare.call(this, text, ...rest)) as never;
  };
  Database.prototype.query = function (text: string) {
    return record(text, query.call(this, text)) as never;
  };
  Database.prototype.run = function (this: Database, text: string, ...parameters: never[]) {
    given.set(text, [...(given.get(text) ?? []), parameters]);
    return run.call(this, text, ...parameters);
  } as typeof run;
  return {
    given,
    [Symbol.dispose]: () => Object.assign(Database.prototype, { prepare, query, run }),
  };
}
