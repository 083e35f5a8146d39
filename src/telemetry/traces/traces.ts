import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { maskApiKeys } from "../../domain/api-key.ts";
import { StoreFailure } from "../../domain/failure.ts";
import type { Store } from "../../domain/store.ts";
import type { CommitObserver } from "../../observations/commit-observer.ts";
import type { AnsweredRequest, IncomingTrace, RequestObserver } from "../../observations/request-observer.ts";
import { VERSION } from "../../system/version.ts";
import { within } from "../../system/within.ts";
import { METHODS } from "../http-methods.ts";
import { observedStore } from "../observed-store.ts";
import { createTracerProvider, type TracesOptions } from "./exporter.ts";

/** The traces of this process: each request, its store calls, and the commit that it waits for. */
export interface Traces {
  readonly requests: RequestObserver;
  readonly commits: CommitObserver;
  /** Wraps a store so that its calls within a request are traced. */
  observe(store: Store): Store;
  /** The trace of the current request, if it is recorded. */
  traceId(): string | undefined;
  /** Sends what is left; resolves to whether all connections ended in time. */
  close(): Promise<boolean>;
}

/** How long a stop waits for a collector. */
const CLOSE_MAX_MS = 1000;

/**
 * @param engine OpenTelemetry's name of the engine: `sqlite` or `postgresql`
 * @param undelivered called when the collector does not accept spans
 */
export function createTraces(
  options: TracesOptions,
  engine: string,
  undelivered: (error: unknown) => void,
): Traces {
  const provider = createTracerProvider(options, undelivered);
  const tracer = provider.getTracer("animal-store", VERSION);
  const contexts = new AsyncLocalStorage<Context>();
  return {
    requests: traceRequests(tracer, contexts),
    commits: traceCommits(tracer, contexts),
    observe: (store) => traceStore(store, engine, tracer, contexts),
    traceId: () => recorded(contexts)?.spanContext().traceId,
    async close() {
      const closed = provider.shutdown().then(
        () => true,
        (error) => {
          undelivered(error);
          return true;
        },
      );
      return within(CLOSE_MAX_MS, closed, () => false);
    },
  };
}

type Contexts = AsyncLocalStorage<Context>;

/** The current span, if it is recorded: attributes of other spans would be lost. */
function recorded(contexts: Contexts) {
  const context = contexts.getStore();
  const span = context && trace.getSpan(context);
  return span?.isRecording() ? span : undefined;
}

const propagator = new W3CTraceContextPropagator();

function traceRequests(tracer: Tracer, contexts: Contexts): RequestObserver {
  return {
    around(incoming, work) {
      const parent =
        incoming.traceparent === null
          ? ROOT_CONTEXT
          : propagator.extract(ROOT_CONTEXT, incoming, { keys: () => [], get: headerOf });
      const span = tracer.startSpan("HTTP", { kind: SpanKind.SERVER }, parent);
      return contexts.run(trace.setSpan(parent, span), work);
    },
    answered(request) {
      const span = recorded(contexts);
      if (!span) return;
      const { route, status, failure, abandoned } = request;
      const method = METHODS.has(request.method) ? request.method : "_OTHER";
      span.updateName(`${method === "_OTHER" ? "HTTP" : method}${route === undefined ? "" : ` ${route}`}`);
      span.setAttributes(attributesOf(request, method));
      if (status >= 500 || abandoned) {
        span.setAttribute("error.type", abandoned ? "client_gone" : (failure ?? `${status}`));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function headerOf(incoming: IncomingTrace, name: string): string | undefined {
  if (name === "traceparent") return incoming.traceparent ?? undefined;
  // `tracestate` is passed on as received, and a client may have put an API key into it.
  return name === "tracestate" && incoming.tracestate !== null ? maskApiKeys(incoming.tracestate) : undefined;
}

/** Attributes by OpenTelemetry's conventions for HTTP servers. An unknown path is left out: it could contain anything. */
function attributesOf(request: AnsweredRequest, method: string) {
  const { route, path, operation, status, abandoned, client, requestId, keyId, cacheHit } = request;
  return {
    "http.request.method": method,
    "http.route": route,
    "url.path": route === undefined ? undefined : maskApiKeys(path),
    "http.response.status_code": abandoned ? undefined : status,
    "client.address": client === undefined ? undefined : maskApiKeys(client),
    "animal_store.operation": operation,
    "animal_store.failure": request.failure,
    "animal_store.request_id": maskApiKeys(requestId),
    "animal_store.key_id": keyId,
    "animal_store.cache_hit": cacheHit,
  };
}

function traceStore(store: Store, engine: string, tracer: Tracer, contexts: Contexts): Store {
  return observedStore(store, async (name, call) => {
    const parent = contexts.getStore();
    if (!parent || !recorded(contexts)) return call();
    const span = tracer.startSpan(
      name,
      { kind: SpanKind.CLIENT, attributes: { "db.system.name": engine, "db.operation.name": name } },
      parent,
    );
    try {
      return await contexts.run(trace.setSpan(parent, span), call);
    } catch (error) {
      // The message may quote rows; the log has it, under the same request id.
      span.setAttribute("error.type", error instanceof StoreFailure ? error.code : "_OTHER");
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Adds a span for a transaction to the trace of each request that waited for it. */
function traceCommits(tracer: Tracer, contexts: Contexts): CommitObserver {
  return {
    waits: () => (recorded(contexts) ? contexts.getStore() : undefined),
    committed({ writes, marks, milliseconds, error }) {
      if (marks.every((mark) => mark === undefined)) return;
      const endTime = performance.timeOrigin + performance.now();
      const options = {
        startTime: endTime - milliseconds,
        attributes: { "animal_store.commit.writes": writes },
      };
      for (const mark of marks) {
        if (mark === undefined) continue;
        const span = tracer.startSpan("commit", options, mark as Context);
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(endTime);
      }
    },
  };
}
