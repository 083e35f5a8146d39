/** The environment of the service that this page is from. */
export const ENVIRONMENT = document.documentElement.dataset.environment ?? "production";
