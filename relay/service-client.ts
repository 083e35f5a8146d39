import { AnimalStore } from "../client/animal-store.ts";
import type { NoticeSink } from "./notice.ts";

/** The client of the service whose feed is read. It reports an outage once, however often it asks again. */
export function serviceClient(baseUrl: string, apiKey: string, notify: NoticeSink): AnimalStore {
  let isAway = false;
  return new AnimalStore({
    baseUrl,
    apiKey,
    // A page of the feed is read once.
    cacheSize: 0,
    onRetry: ({ error }) => {
      if (!isAway) notify({ notice: "service_away", error });
      isAway = true;
    },
    onResponse: ({ status }) => {
      if (isAway && status < 500) {
        isAway = false;
        notify({ notice: "service_back" });
      }
    },
  });
}
