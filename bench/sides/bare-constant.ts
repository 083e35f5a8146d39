import { givenModel, type Side, serve, startFile } from "../side.ts";

/** Does nothing but return the same bytes: what the runtime's HTTP costs by itself. */
export const bareConstant: Side = {
  name: "bare Bun.serve",
  start: (folder, model) => startFile(import.meta.path, folder, model),
};

if (import.meta.main) {
  const { status, headers, body } = await givenModel();
  // Of the ways to say it, a string with a Headers object made once is among the fastest.
  const init = { status, headers: new Headers(headers) };
  serve(() => new Response(body, init));
}
