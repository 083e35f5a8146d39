/** The runtime's server, as far as the life of a request concerns it. */
export interface Connections {
  /** Tells whose connection a request came by. */
  requestIP(request: Request): { readonly address: string } | null;
  /** Sets how many seconds a request's connection may be idle, from now on. */
  timeout(request: Request, seconds: number): void;
  /** Requests that wait for their response, and responses that clients have not taken yet. */
  readonly pendingRequests: number;
}
