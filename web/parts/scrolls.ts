/** Attributes of a box that scrolls. In some browsers the keyboard cannot reach it without them. */
export const SCROLLS = { tabIndex: 0 };
