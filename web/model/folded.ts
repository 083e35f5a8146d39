/** Letters whose mark is a part of them, so that Unicode does not take it off, and the sigma that ends a word. */
const PLAIN: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  æ: "ae",
  œ: "oe",
  ς: "σ",
};

/** A text without the case of its letters and their accents, so that "zofka" finds "Žofka", and "latek" finds "Łatek". */
export function folded(text: string): string {
  return (
    text
      // In upper case ß is SS, and the dotless ı is I.
      .toUpperCase()
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(/[\u0300-\u036fłøđæœς]/g, (letter) => PLAIN[letter] ?? "")
  );
}
