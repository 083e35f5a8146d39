// Migrations are imported as their text.
declare module "*.sql" {
  const text: string;
  export default text;
}
