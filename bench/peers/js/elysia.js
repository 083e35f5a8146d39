import { Database } from "bun:sqlite";
import { Elysia, t } from "elysia";
import { openStore } from "./store.js";

const store = openStore(new Database(process.argv[2]));

const STATES = ["available", "pending", "sold"].map((state) => t.Literal(state));
const status = t.Union(STATES);
const content = { name: t.String({ minLength: 1, maxLength: 255 }), categoryId: t.Integer() };
const animal = t.Object({ id: t.Integer(), ...content, status });

const app = new Elysia()
  .onBeforeHandle(({ headers, status }) => {
    const [scheme, token] = (headers.authorization ?? "").split(" ");
    if (scheme === "Bearer" && token && store.knowsKey(token)) return;
    return status(401, { code: "unauthorized", message: "A valid API key is required.", status: 401 });
  })
  .get(
    "/v1/pets",
    ({ query, set }) => {
      const { animals, next } = store.list(query);
      if (next) set.headers.link = `<${next}>; rel="next"`;
      return animals;
    },
    {
      query: t.Object({
        limit: t.Numeric({ minimum: 1, maximum: 100, default: 20 }),
        status: t.Optional(status),
        cursor: t.Numeric({ minimum: 0, default: 0 }),
      }),
      response: { 200: t.Array(animal) },
    },
  )
  .get(
    "/v1/pets/:petId",
    ({ params, status }) =>
      store.find(params.petId) ??
      status(404, { code: "not_found", message: "There is no such animal.", status: 404 }),
    { params: t.Object({ petId: t.Numeric() }) },
  )
  .post(
    "/v1/pets",
    ({ body, set }) => {
      const added = store.add(body);
      set.status = 201;
      set.headers.location = `/v1/pets/${added.id}`;
      return added;
    },
    {
      body: t.Object({
        ...content,
        status: t.Union(STATES, { default: "available" }),
      }),
      response: { 201: animal },
    },
  )
  .listen({ hostname: "127.0.0.1", port: 0 });

console.log(`http://127.0.0.1:${app.server.port}`);
