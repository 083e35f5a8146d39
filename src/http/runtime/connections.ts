/** The parts of the runtime's server that handling a request needs. */
export interface Connections {
  /** The other end of a request's connection. */
  requestIP(request: Request): { readonly address: string; readonly port: number } | null;
  /** Sets how many seconds a request's connection may be idle, from now on. */
  timeout(request: Request, seconds: number): void;
  /** The number of requests without a response, and of responses that clients have not read. */
  readonly pendingRequests: number;
}
