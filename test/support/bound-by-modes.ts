/** Root may read and write whatever a mode says, unless it gives that up: this is put before a command. */
export const BOUND_BY_MODES: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
