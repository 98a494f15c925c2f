import { columnsFrom, useColumns } from '../state/columns.ts'
import { addProblem } from '../state/files.ts'
import { database, type InspectorDatabase } from './database.ts'
import { whyNot } from './marks.ts'

const NAME = 'columns'

/** Reads which columns were chosen before. Without storage the standard ones are shown, which is not worth a message. */
export async function loadColumns(from: InspectorDatabase = database): Promise<void> {
  try {
    const shown = columnsFrom((await from.preferences.get(NAME))?.value)
    if (shown !== null) useColumns.setState({ shown })
  } catch {
    // Marks say that nothing can be kept here.
  }
}

/** Shows these columns, in this order, now and the next time. */
export async function chooseColumns(shown: readonly string[], into: InspectorDatabase = database): Promise<void> {
  useColumns.setState({ shown })
  try {
    await into.preferences.put({ name: NAME, value: shown })
  } catch (error) {
    addProblem(`The choice of columns could not be saved: ${whyNot(error)} It lasts until this window is closed.`)
  }
}
