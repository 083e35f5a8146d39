/** What a page does not need at first. */
type Script = "samples" | "feed" | "dialogs" | "palette" | "share" | "find";

/** What a person is told where it does not come. */
export const NOT_LOADED = "A part of this page could not be loaded. Try again.";

const loaded: { [Name in Script]?: Promise<unknown> } = {};

/**
 * Loads a script that a page does not need at first, with its style. The page's root element names the address of each.
 *
 * @throws TypeError, or an Event of the style, if they cannot be loaded
 */
export function loadScript<Exports>(name: Script): Promise<Exports> {
  loaded[name] ??= load(document.documentElement.dataset[name] ?? "").catch((error) => {
    // The next attempt may find the service again.
    delete loaded[name];
    throw error;
  });
  return loaded[name] as Promise<Exports>;
}

let attempts = 0;

async function load(addresses: string): Promise<unknown> {
  const [script = "", style] = addresses.split(" ");
  const [exports] = await Promise.all([
    // Chromium remembers by the whole address that a script did not come: each attempt has its own.
    import(new URL(`${script}#${attempts++}`, document.baseURI).href),
    style && loadStyle(style),
  ]);
  return exports;
}

function loadStyle(href: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href, onload: resolve, onerror: reject });
    document.head.append(link);
  });
}
