/** For a box that scrolls: the keyboard must reach it too, which not every browser does by itself. */
export const SCROLLS = { tabIndex: 0 };
