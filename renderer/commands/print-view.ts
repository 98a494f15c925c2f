import { prepareToPrint } from '../data/printing.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { during } from '../state/under-way.ts'

/** Opens the system's dialog for printing the view, with the rows that one would have to scroll to. */
export async function printView(): Promise<void> {
  try {
    await during('Fetching the rows that are to be printed', prepareToPrint)
  } catch (error) {
    addProblem(sentenceOf(error))
  }
  // The dialog holds everything up, so what the command was given from is closed and drawn away first.
  setTimeout(() => window.print(), 50)
}
