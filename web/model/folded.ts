/** A text without the case of its letters and their accents, so that "zofka" finds "Žofka". */
export function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/g, "");
}
