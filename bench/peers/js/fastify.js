import Database from "better-sqlite3";
import Fastify from "fastify";
import { openStore } from "./store.js";

// Fastify as its documentation recommends it for production: schemas for input and output (it compiles the latter to
// serializers), and no log.
const store = openStore(new Database(process.argv[2]));
const app = Fastify({ logger: false });

const status = { type: "string", enum: ["available", "pending", "sold"] };
const content = {
  name: { type: "string", minLength: 1, maxLength: 255 },
  categoryId: { type: "integer" },
};
const animal = {
  type: "object",
  properties: { id: { type: "integer" }, ...content, status },
  required: ["id", "name", "categoryId", "status"],
};

app.addHook("onRequest", (request, reply, done) => {
  const [scheme, token] = (request.headers.authorization ?? "").split(" ");
  if (scheme === "Bearer" && token && store.knowsKey(token)) done();
  else reply.code(401).send({ code: "unauthorized", message: "A valid API key is required.", status: 401 });
});

const query = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "integer", minimum: 0, default: 0 },
  },
};
app.get(
  "/v1/pets",
  { schema: { querystring: query, response: { 200: { type: "array", items: animal } } } },
  (request, reply) => {
    const { animals, next } = store.list(request.query);
    if (next) reply.header("link", `<${next}>; rel="next"`);
    reply.send(animals);
  },
);

const id = { type: "object", properties: { petId: { type: "integer" } } };
app.get("/v1/pets/:petId", { schema: { params: id, response: { 200: animal } } }, (request, reply) => {
  const found = store.find(request.params.petId);
  if (found) reply.send(found);
  else reply.code(404).send({ code: "not_found", message: "There is no such animal.", status: 404 });
});

const body = {
  type: "object",
  properties: { ...content, status: { ...status, default: "available" } },
  required: ["name", "categoryId"],
};
app.post("/v1/pets", { schema: { body, response: { 201: animal } } }, (request, reply) => {
  const added = store.add(request.body);
  reply.code(201).header("location", `/v1/pets/${added.id}`).send(added);
});

console.log(await app.listen({ host: "127.0.0.1", port: 0 }), "");
