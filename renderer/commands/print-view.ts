/** Opens the system's dialog for printing what is on screen. */
export function printView(): void {
  // The dialog holds everything up, so what the command was given from is closed and drawn away first.
  setTimeout(() => window.print(), 50)
}
