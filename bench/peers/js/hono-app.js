import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";

const status = z.enum(["available", "pending", "sold"]);
const query = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: status.optional(),
  cursor: z.coerce.number().int().min(0).default(0),
});
const newAnimal = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.int(),
  status: status.default("available"),
});

/** Hono with its own bearer authentication and its validator for zod. */
export function honoApp(store) {
  const app = new Hono();
  app.use("/v1/*", bearerAuth({ verifyToken: (token) => store.knowsKey(token) }));
  app.get("/v1/pets", zValidator("query", query), (context) => {
    const { animals, next } = store.list(context.req.valid("query"));
    if (next) context.header("link", `<${next}>; rel="next"`);
    return context.json(animals);
  });
  app.get("/v1/pets/:petId", (context) => {
    const found = store.find(Number(context.req.param("petId")));
    if (found) return context.json(found);
    return context.json({ code: "not_found", message: "There is no such animal.", status: 404 }, 404);
  });
  app.post("/v1/pets", zValidator("json", newAnimal), (context) => {
    const added = store.add(context.req.valid("json"));
    return context.json(added, 201, { location: `/v1/pets/${added.id}` });
  });
  return app;
}
