// Shows /openapi.json with Swagger UI, which the page loads before this.

/** For each integer of the document that Swagger UI's numbers round: how they write it, and how the document does. */
const exactly = new Map();

/** Swagger UI counts in JavaScript's numbers. It sends 64-bit integers as they were typed; this shows them so. */
const exactIntegers = ({ React }) => ({
  wrapComponents: {
    // The bounds in a schema: "[1, 9223372036854775807]".
    JSONSchema202012KeywordConstraint: (Original) => (props) => {
      const { scope, value } = props.constraint;
      const constraint = {
        scope,
        value: value.replaceAll(/-?\d+/g, (number) => exactly.get(number) ?? number),
      };
      return React.createElement(Original, { ...props, constraint });
    },
    // The body of an answer, which it would lay out by parsing it. What is called plain text it leaves alone.
    responseBody: (Original) => (props) => {
      const rounds = /\d{16}/.test(props.content);
      const exact = rounds && { contentType: "text/plain", content: layOut(props.content) };
      return React.createElement(Original, { ...props, ...exact });
    },
  },
});

/** Lays JSON out with its numbers as they are; in a browser that cannot, it stays as it is. */
function layOut(json) {
  if (!JSON.rawJSON) return json;
  const asWritten = (_name, value, { source }) => (typeof value === "number" ? JSON.rawJSON(source) : value);
  return JSON.stringify(JSON.parse(json, asWritten), null, 2);
}

/** A reviver for `JSON.parse`. In a browser that does not tell it how a number was written, bounds stay rounded. */
function noteRounded(_name, value, { source } = {}) {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) exactly.set(String(value), source);
  return value;
}

const colors = matchMedia("(prefers-color-scheme: dark)");
const followColors = () => document.documentElement.classList.toggle("dark-mode", colors.matches);
colors.addEventListener("change", followColors);
followColors();

const answer = await fetch("openapi.json");
const spec = JSON.parse(await answer.text(), noteRounded);
// The page may call nothing but the service that it came from, which has other names too.
spec.servers = [{ url: new URL("v1", location.href).href, description: "This service" }];
const viewer = window.SwaggerUIBundle({
  dom_id: "#reference",
  spec,
  validatorUrl: null,
  deepLinking: true,
  plugins: [exactIntegers],
});
// Only shown, as a link: the document is here already.
viewer.specActions.updateUrl(new URL("openapi.json", location.href).pathname);
