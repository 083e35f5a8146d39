/** A span as a collector was given it, with its attributes by name. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A collector that receives OTLP over HTTP in JSON, gone with `using`. */
export class Collector implements Disposable {
  readonly #server: Bun.Server<undefined>;
  readonly spans: Span[] = [];
  readonly bodies: string[] = [];
  readonly requests: { readonly path: string; readonly headers: Headers }[] = [];

  constructor() {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const body = await request.text();
        this.bodies.push(body);
        this.requests.push({ path: new URL(request.url).pathname, headers: request.headers });
        this.spans.push(...spansOf(body));
        return Response.json({});
      },
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

function spansOf(body: string): Span[] {
  const { resourceSpans } = JSON.parse(body);
  const spans: Span[] = [];
  for (const { resource, scopeSpans } of resourceSpans) {
    for (const { spans: given } of scopeSpans) {
      for (const span of given) {
        spans.push({
          ...span,
          attributes: byName(span.attributes),
          resource: byName(resource.attributes),
          start: BigInt(span.startTimeUnixNano),
          end: BigInt(span.endTimeUnixNano),
        });
      }
    }
  }
  return spans;
}

/** Each value is in an object whose only member names its type. */
function byName(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
