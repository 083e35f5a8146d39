// Bundles the scripts and styles of the pages for the package that `npm pack` makes.
import { writeShippedBundle } from "../web/build/shipped-bundle.ts";

await writeShippedBundle();
