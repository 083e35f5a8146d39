/** An expression of a page: where the text of each name begins in the list of orders, in pixels from the left. */
export const NAME_EDGES = `[...document.querySelectorAll(".orders .name bdi")].map((name) => {
  const text = document.createRange();
  text.selectNodeContents(name);
  return text.getBoundingClientRect().left;
})`;
