/** The operations that this service offers, by id. Which ones depends on its `STABILITY`. */
const OPERATIONS = new Set(document.getElementById("console")?.dataset.operations?.split(" "));

export const OFFERS_ORDERS = OPERATIONS.has("listOrders");
export const OFFERS_EVENTS = OPERATIONS.has("listEvents");

/** Every scope that an operation of this service requires, as the command line takes them. */
export const SCOPES = document.getElementById("console")?.dataset.scopes ?? "";
