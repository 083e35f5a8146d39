import { type JsonValue, readJson } from "../../src/domain/json-reader.ts";
import { writeJson } from "../../src/domain/json-writer.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by paths, with no type
type Json = any;
type Values = Record<string, unknown>;

/** A service that a workflow runs against. */
interface Against {
  /** Without `/v1`. */
  readonly address: string;
  readonly key: string;
}

/** What a step got: nothing, where no response came. */
interface Got {
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly body: JsonValue | undefined;
}

/**
 * Runs a workflow of an Arazzo 1.0 document, as far as ours go: whatever it does not know is an error.
 *
 * @param document of Arazzo
 * @param openApi the document that it refers to
 * @returns the workflow's outputs; those of a response that has none are left out
 * @throws Error that names the step that failed for good
 */
export async function runWorkflow(
  document: Json,
  openApi: Json,
  workflowId: string,
  inputs: Values,
  against: Against,
): Promise<Values> {
  const workflow = document.workflows.find((each: Json) => each.workflowId === workflowId);
  const steps: Record<string, { outputs: Values }> = {};
  for (const step of workflow.steps) {
    const known = keysOf(step, [
      "stepId",
      "description",
      "operationId",
      "parameters",
      "requestBody",
      "successCriteria",
    ]);
    keysOf(known, ["onFailure", "outputs"], true);
    for (let retries = 0; ; retries++) {
      const context = { inputs, steps };
      const got = await request(step, openApi, context, against);
      if (step.successCriteria.every((each: Json) => isMet(each, { ...context, got }))) {
        steps[step.stepId] = { outputs: resolveAll(step.outputs ?? {}, { ...context, got }) };
        break;
      }
      const action = (step.onFailure ?? [])
        .map((each: Json) => referredTo(each, document))
        .find(({ criteria = [] }: Json) => criteria.every((each: Json) => isMet(each, { ...context, got })));
      if (action?.type !== "retry" || retries >= action.retryLimit) {
        throw new Error(
          `${workflowId}.${step.stepId} failed: ${got.status} ${JSON.stringify(got.body, bigints)}`,
        );
      }
      await Bun.sleep(action.retryAfter * 1000);
    }
  }
  return resolveAll(workflow.outputs, { inputs, steps });
}

interface Context {
  readonly inputs: Values;
  readonly steps: Readonly<Record<string, { readonly outputs: Values }>>;
  readonly got?: Got;
}

async function request(step: Json, openApi: Json, context: Context, { address, key }: Against): Promise<Got> {
  const [path, method] = placeOf(step.operationId, openApi);
  let target = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  for (const { name, in: place, value: given } of step.parameters ?? []) {
    const value = resolve(given, context);
    if (value === undefined) continue;
    if (place === "path") target = target.replace(`{${name}}`, `${value}`);
    else if (place === "query") query.set(name, `${value}`);
    else if (place === "header") headers[name] = `${value}`;
    else throw new Error(`a parameter in ${place}`);
  }
  const { requestBody } = step;
  if (requestBody) headers["content-type"] = requestBody.contentType;
  const body = requestBody && writeJson(resolveAll(requestBody.payload, context));
  const init = { method, headers, ...(body && { body }) };
  const response = await fetch(`${address}/v1${target}?${query}`, init).catch(() => undefined);
  if (response === undefined) return { status: undefined, headers: new Headers(), body: undefined };
  return { status: response.status, headers: response.headers, body: readJson(await response.text()) };
}

function placeOf(operationId: string, openApi: Json): [path: string, method: string] {
  for (const [path, item] of Object.entries<Json>(openApi.paths)) {
    for (const [method, operation] of Object.entries<Json>(item)) {
      if (operation.operationId === operationId) return [path, method.toUpperCase()];
    }
  }
  throw new Error(`no operation ${operationId}`);
}

function referredTo(action: Json, document: Json): Json {
  const name = /^\$components\.failureActions\.(\w+)$/.exec(action.reference ?? "")?.[1];
  const found = name === undefined ? action : document.components.failureActions[name];
  return keysOf(found, ["name", "type", "criteria", "retryAfter", "retryLimit"], true);
}

/** Whether a criterion is met: two values are equal, or a text matches a regular expression. */
function isMet(criterion: Json, context: Context): boolean {
  const {
    condition,
    context: of,
    type = "simple",
  } = keysOf(criterion, ["condition", "context", "type"], true);
  if (type === "regex") return new RegExp(condition).test(`${resolve(of, context)}`);
  const [, left, right] = /^(\$\S+) == (\$\S+|'[^']*'|\d+)$/.exec(condition) ?? [];
  if (type !== "simple" || left === undefined || right === undefined)
    throw new Error(`a criterion ${condition}`);
  const expected = right.startsWith("$")
    ? resolve(right, context)
    : right.startsWith("'")
      ? right.slice(1, -1)
      : Number(right);
  const actual = resolve(left, context);
  return actual !== undefined && actual === expected;
}

function resolveAll(values: Values, context: Context): Values {
  const resolved = Object.entries(values).map(([name, value]) => [name, resolve(value, context)] as const);
  return Object.fromEntries(resolved.filter(([, value]) => value !== undefined));
}

/** The value of a runtime expression; anything else stands for itself. */
function resolve(value: unknown, { inputs, steps, got }: Context): unknown {
  if (typeof value !== "string" || !value.startsWith("$")) return value;
  const [, input] = /^\$inputs\.(\w+)$/.exec(value) ?? [];
  if (input !== undefined) return inputs[input];
  const [, step, output] = /^\$steps\.(\w+)\.outputs\.(\w+)$/.exec(value) ?? [];
  if (step !== undefined && output !== undefined) return steps[step]?.outputs[output];
  if (got === undefined) throw new Error(`an expression ${value} without a response`);
  if (value === "$statusCode") return got.status;
  const [, header] = /^\$response\.header\.([\w-]+)$/.exec(value) ?? [];
  if (header !== undefined) return got.headers.get(header) ?? undefined;
  const [, pointer] = /^\$response\.body(?:#((?:\/\w+)*))?$/.exec(value) ?? [];
  if (!value.startsWith("$response.body") || (value.includes("#") && pointer === undefined)) {
    throw new Error(`an expression ${value}`);
  }
  const members = (pointer ?? "").split("/").slice(1);
  return members.reduce<Json>((at, name) => at?.[name], got.body);
}

/** An object with known members alone. */
function keysOf(object: Json, names: readonly string[], all = false): Json {
  const others = Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  if (all && Object.keys(others).length > 0) throw new Error(`unknown members: ${Object.keys(others)}`);
  return all ? object : others;
}

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
