import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { VERSION } from "../../system/version.ts";

/** The values of OpenTelemetry's environment variables. */
export interface TracesOptions {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>>;
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: SamplerName;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly ENVIRONMENT: string;
}

type Root = "always_on" | "always_off" | "traceidratio";
type SamplerName = Root | `parentbased_${Root}`;

/**
 * Creates the provider of tracers. Spans leave in batches as OTLP over HTTP; undeliverable spans are dropped.
 *
 * @param undelivered called when the collector does not accept a batch
 */
export function createTracerProvider(
  options: TracesOptions,
  undelivered: (error: unknown) => void,
): TracerProvider {
  setGlobalErrorHandler(undelivered);
  const endpoint = options.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, "");
  return new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": options.OTEL_SERVICE_NAME,
      "service.version": VERSION,
      "service.instance.id": crypto.randomUUID(),
      "deployment.environment.name": options.ENVIRONMENT,
    }),
    sampler: samplerOf(options.OTEL_TRACES_SAMPLER, options.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${endpoint}/v1/traces`,
          headers: { ...options.OTEL_EXPORTER_OTLP_HEADERS },
        }),
      }),
    ],
  });
}

function samplerOf(name: SamplerName, ratio: number): Sampler {
  const roots: Readonly<Record<Root, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[name.replace("parentbased_", "") as Root]();
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}
