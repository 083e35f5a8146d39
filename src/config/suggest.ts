import { distance } from "fastest-levenshtein";
import { SETTING_NAMES, SETTINGS, type SettingName } from "./settings.ts";

/**
 * A sentence for each name that is nearly a setting's: a mistyped setting must not be silently ignored.
 *
 * @param source where the names stand, for the message
 */
export function nearMisses(names: readonly string[], source: string): string[] {
  return names.flatMap((given) => {
    const meant = isSetting(given) ? undefined : SETTING_NAMES.find((name) => isNear(given, name));
    return meant ? [`${given} in ${source} is not a setting; did you mean ${meant}?`] : [];
  });
}

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function isNear(given: string, name: string): boolean {
  // A digit is deliberate: some schedulers set PORT0 beside PORT.
  if (/[0-9]/.test(given)) return false;
  const letters = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, "");
  const sorted = (text: string) => [...letters(text)].sort().join("");
  if (letters(given) === letters(name)) return true;
  // Names near a short one usually mean something else, as HOME and VHOST do beside HOST: only PROT is PORT.
  return name.length > 5 ? distance(given, name) <= 2 : sorted(given) === sorted(name);
}
