import { Database } from "bun:sqlite";
import { honoApp } from "./hono-app.js";
import { openStore } from "./store.js";

const { fetch } = honoApp(openStore(new Database(process.argv[2])));
const { port } = Bun.serve({ fetch, hostname: "127.0.0.1", port: 0, development: false });
console.log(`http://127.0.0.1:${port}`);
