import type { RunningServer, ServerOptions } from "../http/server.ts";
import type { Order, Report } from "./messages.ts";

/** Where a worker listens, and how. */
export type Listening = Pick<ServerOptions, "port" | "siblings" | "tls">;

/** A worker that is ready to listen. */
export interface Prepared {
  listen(listening: Listening): Promise<RunningServer>;
  /** What it has counted so far, as plain JSON. */
  count(): Promise<unknown>;
  /** Called once it has stopped. */
  close(): Promise<void>;
}

/** Whether this process was started by a supervisor. */
export function hasSupervisor(): boolean {
  return process.send !== undefined;
}

/**
 * Does what the supervisor orders, until that is to stop. When the supervisor is gone, it ends this
 * process at once: the next supervisor needs the port.
 *
 * @param prepare makes this process ready with the settings that its supervisor gives it
 */
export async function takeOrders(
  prepare: (worker: number, settings: unknown) => Promise<Prepared>,
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const report = (report: Report) => process.send?.(JSON.stringify(report));
  const orphaned = () => process.exit(1);
  let prepared: Prepared | undefined;
  let server: RunningServer | undefined;
  let proceed = () => {};
  const meet = () =>
    new Promise<void>((resolve) => {
      proceed = resolve;
      report({ kind: "waiting" });
    });

  async function carryOut(order: Order): Promise<Report | undefined> {
    switch (order.kind) {
      case "prepare":
        prepared = await prepare(order.worker, order.settings);
        return { kind: "prepared" };
      case "listen": {
        const siblings = order.first ? "first" : "others";
        server = await prepared?.listen({ port: order.port, siblings, tls: order.tls });
        return server && { kind: "listening", address: server.address, port: server.port };
      }
      case "replace_tls":
        await server?.replaceTls(order.tls, meet);
        return { kind: "tls_replaced" };
      case "stop":
        await server?.stop(order.seconds, meet);
        await prepared?.close();
        return { kind: "stopped" };
      case "proceed":
        proceed();
        return undefined;
      case "count":
        return { kind: "counted", counts: await prepared?.count() };
      case "ping":
        return { kind: "pong" };
    }
  }

  process.on("disconnect", orphaned);
  process.on("message", async (text: string) => {
    const order = JSON.parse(text) as Order;
    try {
      const answer = await carryOut(order);
      if (answer) report(answer);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      report({ kind: "failed", message, code });
    }
    if (order.kind === "stop") stopped.resolve();
  });
  await stopped.promise;
  process.off("disconnect", orphaned);
  process.disconnect?.();
}
