/** How many rows a page of the table holds, for the keys that turn pages. Set by the table that is on screen. */
export const pageOfTable = { rows: () => 20 }
