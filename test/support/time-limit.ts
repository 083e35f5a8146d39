import { setDefaultTimeout } from "bun:test";

// The runner's own limit of 5 s is one that a busy machine reaches where nothing is wrong: starting a
// PostgreSQL or a browser takes a second on a quiet one. What hangs still ends.
setDefaultTimeout(60_000);
