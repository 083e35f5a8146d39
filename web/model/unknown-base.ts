/** Stands in pages for a base address that the service does not know (RFC 2606). */
export const UNKNOWN_BASE = "https://animal-store.example/v1";
