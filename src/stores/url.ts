import { resolve } from "node:path";

/** The file of a store; `undefined` unless the engine is SQLite. */
export function fileOfStore(url: string): string | undefined {
  return /^sqlite:(.*)$/s.exec(url)?.[1];
}

/** The engine of a URL, by its name in OpenTelemetry. */
export function engineOf(url: string): "sqlite" | "postgresql" {
  return fileOfStore(url) === undefined ? "postgresql" : "sqlite";
}

/** The name of a store in messages: the full path of its file, or its URL without the password. */
export function storeName(url: string): string {
  const file = fileOfStore(url);
  return file === undefined ? hidePassword(url) : resolve(file);
}

/** Replaces the passwords in a URL by `***`, for terminals and logs. */
export function hidePassword(text: string): string {
  return text
    .replace(/(:\/\/[^:@/]*:).*@/, "$1***@")
    .replace(/([?&])([^=&?]*)=[^&]*/g, (option, mark, name) =>
      isPassword(name) ? `${mark}${name}=***` : option,
    );
}

/** Whether an option of a URL is a password, however the option's name is percent-encoded. */
function isPassword(name: string): boolean {
  try {
    return /^(?:ssl)?password$/i.test(decodeURIComponent(name));
  } catch {
    return false;
  }
}
