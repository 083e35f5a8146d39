// One of several processes that count requests in shared memory, which it finds open as descriptor 3:
// `count-requests.ts PROCESS REQUESTS CALLERS` adds a unit for each request, to one caller after the other.
import { mapShared, SharedRateLimitStore } from "../../src/http/rate-limit/shared-rate-limit-store.ts";

const [process_ = 0, requests = 0, callers = 1] = process.argv.slice(2).map(Number);
const memory = new SharedRateLimitStore(mapShared(3), process_);
for (let count = 0; count < requests; count++) {
  memory.update(1 + (count % callers), 0, ({ units, at }) => ({ units: units + 1, at }));
}
