import { BASE } from "./base.ts";

/** The name under which a tab keeps its API key. Each service below a path of one host has its own. */
export const KEY_NAME = `animal-store.key${BASE.pathname}`;
