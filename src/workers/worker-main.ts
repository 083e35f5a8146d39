import type { RunningServer, ServerOptions } from "../http/server.ts";
import type { Command, Report } from "./messages.ts";

/** Where a worker listens, and how. */
type Listening = Pick<ServerOptions, "port" | "siblings" | "tls">;

/** A worker whose store is open. */
export interface Prepared {
  listen(listening: Listening): Promise<RunningServer>;
  /** The metrics of this process so far, as plain JSON. */
  count(): Promise<unknown>;
  /** Called after the server has stopped. */
  close(): Promise<void>;
}

/** Whether a supervisor started this process. */
export function hasSupervisor(): boolean {
  return process.send !== undefined;
}

/**
 * Carries out the supervisor's commands until one says stop. When the supervisor is gone, this process exits at once:
 * the next supervisor needs the port.
 *
 * @param prepare opens the store with the settings that the supervisor sends
 */
export async function runWorker(
  prepare: (worker: number, settings: unknown) => Promise<Prepared>,
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const report = (report: Report) => process.send?.(JSON.stringify(report));
  const onOrphaned = () => process.exit(1);
  let prepared: Prepared | undefined;
  let server: RunningServer | undefined;
  let proceed = () => {};
  const awaitBarrier = () =>
    new Promise<void>((resolve) => {
      proceed = resolve;
      report({ kind: "waiting" });
    });

  async function carryOut(command: Command): Promise<Report | undefined> {
    switch (command.kind) {
      case "prepare":
        prepared = await prepare(command.worker, command.settings);
        return { kind: "prepared" };
      case "listen": {
        const siblings = command.first ? "first" : "others";
        server = await prepared?.listen({ port: command.port, siblings, tls: command.tls });
        return server && { kind: "listening", address: server.address, port: server.port };
      }
      case "replace_tls":
        await server?.replaceTls(command.tls, awaitBarrier);
        return { kind: "tls_replaced" };
      case "stop":
        await server?.stop(command.seconds, awaitBarrier);
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

  process.on("disconnect", onOrphaned);
  process.on("message", async (text: string) => {
    const command = JSON.parse(text) as Command;
    try {
      const answer = await carryOut(command);
      if (answer) report(answer);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      report({ kind: "failed", message, code });
    }
    if (command.kind === "stop") stopped.resolve();
  });
  await stopped.promise;
  process.off("disconnect", onOrphaned);
  process.disconnect?.();
}
