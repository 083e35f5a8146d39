// Handlers as the documentation of MSW begins with them. They replace the `fetch` of one process, so a server in this
// process asks on behalf of the suite.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

const PETS = "http://api.test/pets";
const api = setupServer(
  http.get(PETS, () => HttpResponse.json([])),
  http.post(PETS, async ({ request }) =>
    HttpResponse.json({ id: 25, ...(await request.json()), status: "available" }, { status: 201 }),
  ),
);
let creates = 0;
api.events.on("request:start", ({ request }) => {
  if (request.method === "POST") creates++;
});
api.listen();

const server = createServer(async (request, response) => {
  if (request.url === "/lose") {
    api.use(http.post(PETS, () => HttpResponse.error(), { once: true }));
    return response.end("{}");
  }
  if (request.url === "/creates") return response.end(`${creates}`);
  const body = request.method === "POST" ? await text(request) : undefined;
  try {
    const answer = await fetch(`http://api.test${request.url}`, { method: request.method, body });
    response.writeHead(answer.status).end(await answer.text());
  } catch {
    response.destroy();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
