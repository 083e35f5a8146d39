import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

/**
 * Metrics of the process, with Prometheus' standard names. prom-client's default set has many more, most of which
 * mean nothing on this runtime: handles that are always 0, heap spaces of another engine.
 */
export function processMetrics(registry: Registry): void {
  const registers = [registry];
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const gauge = (name: string, help: string, aggregator: "sum" | "min" | "max", read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      collect() {
        this.set(read());
      },
    });

  counter(
    "process_cpu_user_seconds_total",
    "CPU time spent in the program.",
    () => process.cpuUsage().user / 1e6,
  );
  counter(
    "process_cpu_system_seconds_total",
    "CPU time spent in the kernel.",
    () => process.cpuUsage().system / 1e6,
  );
  counter("process_cpu_seconds_total", "CPU time spent.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge("process_resident_memory_bytes", "Resident memory.", "sum", () => process.memoryUsage.rss());
  const started = performance.timeOrigin / 1000;
  gauge(
    "process_start_time_seconds",
    "When the process started, in seconds since 1970.",
    "min",
    () => started,
  );
  if (process.platform === "linux") {
    gauge(
      "process_open_fds",
      "Open files and connections.",
      "sum",
      () => readdirSync("/proc/self/fd").length,
    );
    gauge("process_max_fds", "Limit of open files and connections.", "sum", readFileLimit);
  }

  const delay = monitorEventLoopDelay();
  delay.enable();
  gauge(
    "animal_store_event_loop_delay_max_seconds",
    "Longest delay of the event loop since the last scrape.",
    "max",
    () => {
      const { max } = delay;
      delay.reset();
      return max / 1e9;
    },
  );
}

function readFileLimit(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
}
