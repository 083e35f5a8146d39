// What the page says about its service.

const place = document.getElementById("console")?.dataset;

/** The operations that this service offers, by id. They depend on its `STABILITY`. */
const OPERATIONS = new Set(place?.operations?.split(" "));

export const OFFERS_GET_PET = OPERATIONS.has("getPet");
export const OFFERS_GET_KEY = OPERATIONS.has("getKey");
export const OFFERS_ORDERS = OPERATIONS.has("listOrders");
export const OFFERS_EVENTS = OPERATIONS.has("listEvents");

/** Every scope that an operation of this service requires, as the command line takes them. */
export const SCOPES = place?.scopes ?? "";

/** What the service gives a new animal for each member that is left out, if anything. */
export const DEFAULTS: Readonly<Record<string, string>> = JSON.parse(place?.defaults ?? "{}");

/** A key that everybody may use, with every scope; empty but on the pages of a sandbox. */
export const SANDBOX_KEY = place?.sandboxKey ?? "";
