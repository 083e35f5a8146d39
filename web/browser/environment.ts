/** The environment of the service that this page is from. */
export const ENVIRONMENT = document.documentElement.dataset.environment ?? "production";

/** The same for people: the environment of a sandbox is staging, and what they want to know is that it is one. */
export const PLACE =
  document.documentElement.dataset.sandbox === undefined
    ? ENVIRONMENT === "staging"
      ? "staging"
      : "production"
    : "sandbox";
