import { callerKeySchema } from "../domain/caller-key-schema.ts";
import { rfc3339 } from "../domain/time.ts";
import { operation } from "./operation.ts";

export const getKey = operation({
  id: "getKey",
  tag: "Keys",
  method: "GET",
  path: "/key",
  summary: "Get the key of this request",
  description:
    "Returns what the API key of this request is: its name, its environment, what it may do, and when it ends. So a program " +
    "can offer only what its key may do, without trying. The secret part of the key is in no response.",
  stability: "beta",
  scope: undefined,
  parameters: {},
  responses: {
    200: {
      description: "The key of this request.",
      schema: callerKeySchema,
      headers: [],
      example: {
        name: "website",
        environment: "production",
        scopes: ["pets:read", "orders:read"],
        expiresAt: null,
      },
    },
  },
  failures: [],
  run(_, { caller: { name, environment, scopes, expiresAt } }) {
    const ends = expiresAt === null ? null : rfc3339(expiresAt);
    return { status: 200, value: { name, environment, scopes, expiresAt: ends }, isPersonal: true };
  },
});
