/** Attributes of a box that scrolls. Not in every browser could the keyboard reach it without them. */
export const SCROLLS = { tabIndex: 0 };
