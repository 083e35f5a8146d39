/** A paw, in a color that tells production from staging among a browser's tabs. */
export function icon(environment: "production" | "staging"): string {
  const color = environment === "production" ? "#0b6e4f" : "#b45309";
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${color}"/>` +
    '<g fill="#fff"><path d="M16 15c-4 0-7 3.4-7 6.6 0 2.4 1.7 3.6 3.6 3.6 1.3 0 2.2-.6 3.4-.6s2.1.6 3.4.6c1.9 0 3.6-1.2 3.6-3.6C23 18.4 20 15 16 15z"/>' +
    '<ellipse cx="7.8" cy="14.5" rx="2.3" ry="2.9"/><ellipse cx="12.8" cy="9.4" rx="2.4" ry="3.1"/>' +
    '<ellipse cx="19.2" cy="9.4" rx="2.4" ry="3.1"/><ellipse cx="24.2" cy="14.5" rx="2.3" ry="2.9"/></g></svg>'
  );
}
