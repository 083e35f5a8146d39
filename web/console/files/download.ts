/** Has the browser save a text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has the text once the click was handled; until the page is closed it would keep it otherwise.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
