/** @jsxImportSource preact */
import { Paw } from "./paw.tsx";

export function Brand({ home }: { home: string }) {
  return (
    <a class="brand" href={home}>
      <svg class="paw" viewBox="0 0 32 32" aria-hidden="true">
        <Paw />
      </svg>
      <span>Animal Store</span>
    </a>
  );
}

/** Where a page is from: an environment of the service, or a sandbox. */
export type PlaceName = "production" | "staging" | "sandbox";

const PLACES: Readonly<Record<PlaceName, string>> = {
  production: "Production",
  staging: "Staging",
  sandbox: "Sandbox",
};

export function EnvironmentBadge({ place }: { place: PlaceName }) {
  return <span class={`environment ${place}`}>{PLACES[place]}</span>;
}
