import { serve } from "@hono/node-server";
import Database from "better-sqlite3";
import { honoApp } from "./hono-app.js";
import { openStore } from "./store.js";

const { fetch } = honoApp(openStore(new Database(process.argv[2])));
serve({ fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
