/** The base address of this service. */
export const BASE = new URL(`${document.documentElement.dataset.root}v1/`, document.baseURI);
