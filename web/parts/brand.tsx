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

export function EnvironmentBadge({ environment }: { environment: "production" | "staging" }) {
  return (
    <span class={`environment ${environment}`}>
      {environment === "production" ? "Production" : "Staging"}
    </span>
  );
}
