/** The name under which a tab keeps its API key. */
export const KEY_NAME = "animal-store.key";
