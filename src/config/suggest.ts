import { distance } from "fastest-levenshtein";
import { SETTING_NAMES, SETTINGS, type SettingName } from "./settings.ts";

/** More typing errors than this in a name usually make it another name. */
const TYPING_ERRORS_MAX = 2;

/**
 * A sentence for each name that is nearly a setting's: a mistyped setting must not be silently ignored.
 *
 * @param source where the names stand, for the message
 */
export function nearMisses(names: readonly string[], source: string): string[] {
  const settings = SETTING_NAMES.map((name) => ({ name, letters: lettersOf(name) }));
  return names.flatMap((given) => {
    // A digit is deliberate: some schedulers set PORT0 as well as PORT.
    if (isSetting(given) || /[0-9]/.test(given)) return [];
    const letters = lettersOf(given);
    const meant = settings.find((setting) => isNear({ name: given, letters }, setting));
    return meant ? [`${given} in ${source} is not a setting; did you mean ${meant.name}?`] : [];
  });
}

/** Whether a setting has this name: `PORT`, for example. */
export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

interface Spelling {
  readonly name: string;
  /** In upper case, without all other characters. */
  readonly letters: string;
}

function isNear(given: Spelling, setting: Spelling): boolean {
  if (given.letters === setting.letters) return true;
  // Most names differ in length, and comparing their lengths costs nothing: an environment may have hundreds of names.
  if (Math.abs(given.letters.length - setting.letters.length) > TYPING_ERRORS_MAX) return false;
  // Names near a short one usually mean something else, as HOME and VHOST do next to HOST: only PROT is PORT.
  return setting.name.length > 5
    ? distance(given.name, setting.name) <= TYPING_ERRORS_MAX
    : sorted(given.letters) === sorted(setting.letters);
}

function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z]/g, "");
}

function sorted(letters: string): string {
  return [...letters].sort().join("");
}
