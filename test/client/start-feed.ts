import { type Service, startService } from "../support/service.ts";

/** A service that records events. */
export async function startFeed(): Promise<Service> {
  const service = await startService();
  await service.store.recordEvents(true);
  return service;
}
