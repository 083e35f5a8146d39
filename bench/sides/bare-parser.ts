import { givenModel, type Side, serve, startFile } from "../side.ts";

/** Parses the body, forgets it, and returns the same bytes every time. */
export const bareParser: Side = {
  name: "bare parser",
  start: (folder, model) => startFile(import.meta.path, folder, model),
};

if (import.meta.main) {
  const { status, headers, body } = await givenModel();
  const init = { status, headers: new Headers(headers) };
  serve(async (request) => {
    await request.json();
    return new Response(body, init);
  });
}
