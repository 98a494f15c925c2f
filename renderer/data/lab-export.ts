import { type Cell, csvLine } from '../../shared/exports/csv.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { labPlace } from '../views/lab/lab-place.ts'
import { handOver } from './exporting.ts'
import { triedIn } from './pinning.ts'

/** Saves what is tried in the open panel of the lab, and what comes of it, as a table. */
export async function saveTried(): Promise<void> {
  const { panel } = labPlace()
  try {
    const { key, numbers } = await triedIn(panel)
    const tried = Object.entries(key).filter(([name]) => name !== 'panel')
    const rows: readonly Cell[][] = [
      ['kind', 'name', 'value', 'unit'],
      ...tried.map(([name, value]): Cell[] => ['tried', name, value === '' ? 'none' : value, null]),
      ...numbers.map(({ name, value, unit }): Cell[] => ['comes to', name, value, unit ?? null]),
    ]
    const bytes = new TextEncoder().encode(rows.map((row) => csvLine(row)).join(''))
    await handOver([{ name: `lab-${panel}.csv`, bytes }], 'What is tried was')
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}
