/** The color schemes that a reader may choose in place of the system's. */
export const SCHEMES = ["light", "dark"] as const;
/** The name under which the browser keeps the choice. */
export const SCHEME_NAME = "animal-store.scheme";
