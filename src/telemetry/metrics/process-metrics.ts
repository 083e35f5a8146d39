import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Registry } from "prom-client";
import { scraped } from "./scraped.ts";

/**
 * Metrics of the process, with Prometheus' standard names. prom-client's default set has many more, most of which
 * mean nothing on this runtime: handles that are always 0, heap spaces of another engine.
 */
export function processMetrics(registry: Registry): void {
  const { counter, gauge } = scraped(registry);
  const cpu = process.cpuUsage.bind(process);
  counter("process_cpu_user_seconds_total", "CPU time spent in the program.", () => cpu().user / 1e6);
  counter("process_cpu_system_seconds_total", "CPU time spent in the kernel.", () => cpu().system / 1e6);
  counter("process_cpu_seconds_total", "CPU time spent.", () => {
    const { user, system } = cpu();
    return (user + system) / 1e6;
  });
  gauge("process_resident_memory_bytes", "Resident memory.", "sum", () => process.memoryUsage.rss());
  const started = performance.timeOrigin / 1000;
  const sinceText = "When the process started, in seconds since 1970.";
  gauge("process_start_time_seconds", sinceText, "min", () => started);
  if (process.platform === "linux") {
    const openFiles = () => readdirSync("/proc/self/fd").length;
    gauge("process_open_fds", "Open files and connections.", "sum", openFiles);
    gauge("process_max_fds", "Limit of open files and connections.", "sum", readFileLimit);
  }

  const delay = monitorEventLoopDelay();
  delay.enable();
  const delayText = "Longest delay of the event loop since the last scrape.";
  gauge("animal_store_event_loop_delay_max_seconds", delayText, "max", () => {
    const { max } = delay;
    delay.reset();
    return max / 1e9;
  });
}

function readFileLimit(): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
}
