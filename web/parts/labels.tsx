/** @jsxImportSource preact */

/** The status of a response, in the color of its class; `undefined` if no response came. */
export function Status({ status }: { status: number | string | undefined }) {
  return <span class={`status s${String(status ?? 0)[0]}`}>{status ?? "none"}</span>;
}

/** The method of a request, in a color of its own. */
export function Method({ method }: { method: string }) {
  return <span class={`method ${method.toLowerCase()}`}>{method}</span>;
}
