import type { Connections } from "../src/http/runtime/connections.ts";

/** The server's connections as a space sees them: requests and streams of other spaces take no room from it. */
export class SpaceConnections implements Connections {
  /** @param pending the requests in progress and the open streams of the space */
  constructor(
    readonly server: Connections,
    readonly pending: () => number,
  ) {}

  get pendingRequests(): number {
    return this.pending();
  }

  requestIP(request: Request): ReturnType<Connections["requestIP"]> {
    return this.server.requestIP(request);
  }

  timeout(request: Request, seconds: number): void {
    this.server.timeout(request, seconds);
  }
}
