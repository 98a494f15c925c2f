/** Puts the caret into the query line. Set by the line that is on screen. */
export const queryLine = { focus: () => {} }
