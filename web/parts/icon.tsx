/** @jsxImportSource preact */
import { renderToString } from "preact-render-to-string";
import { Paw } from "./paw.tsx";

const COLORS = { production: "#0b6e4f", staging: "#b45309" } as const;

/** A paw, in a color that distinguishes production from staging among a browser's tabs. */
export function icon(environment: keyof typeof COLORS): string {
  return renderToString(
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
      <title>Animal Store</title>
      <rect width="32" height="32" rx="8" fill={COLORS[environment]} />
      <g fill="#fff">
        <Paw />
      </g>
    </svg>,
  );
}
