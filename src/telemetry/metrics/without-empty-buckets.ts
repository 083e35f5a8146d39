import type { MetricObjectWithValues, MetricValue } from "prom-client";

type Metric = MetricObjectWithValues<MetricValue<string>>;
type Value = MetricValue<string> & { readonly metricName?: string };

/**
 * Leaves out the buckets of failures, and of calls of the store, that have not happened yet. Their counts are there from the
 * start, for queries of rates and errors. Their buckets would be two thirds of all metrics: half of them for failures, which
 * most services never see.
 */
export function withoutEmptyBuckets(metric: Metric): Metric {
  if (String(metric.type) !== "histogram") return metric;
  const values: readonly Value[] = metric.values;
  const happened = new Set(
    values.filter(({ labels, value }) => labels.le === "+Inf" && value > 0).map(seriesOf),
  );
  const isWanted = (value: Value) => !mayWait(value) || happened.has(seriesOf(value));
  return { ...metric, values: values.filter(isWanted) };
}

/** Whether the value is of a bucket that is needed only once something has happened. */
function mayWait({ metricName, labels }: Value): boolean {
  return Boolean(metricName?.endsWith("_bucket") && (labels.error_type || labels.db_operation_name));
}

function seriesOf({ labels: { le, ...labels } }: Value): string {
  return Object.values(labels).join();
}
