import type { PublicPage } from "./public-pages.ts";
import { text } from "./rendered.ts";

/** The pages that show the OpenAPI document to people. */
export const referencePage: Readonly<Record<string, PublicPage>> = {
  "/docs": () => text("text/html; charset=utf-8", "<!doctype html><title>Animal Store</title>"),
};
