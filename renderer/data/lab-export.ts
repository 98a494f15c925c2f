import { type Cell, csvLine } from '../../shared/exports/csv.ts'
import { sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem } from '../state/files.ts'
import { labPlace } from '../views/lab/lab-place.ts'
import { handOver } from './exporting.ts'
import { triedIn } from './pinning.ts'

/** Saves what is tried in the open panel of the lab, and what comes of it, as a table: one number a line. */
export async function saveTried(): Promise<void> {
  const { panel } = labPlace()
  try {
    const { key, numbers } = await triedIn(panel)
    const tried = Object.entries(key).filter(([name]) => name !== 'panel')
    const rows: readonly Cell[][] = [
      ['kind', 'name', 'value', 'unit', 'at'],
      ...tried.map(([name, value]): Cell[] => ['tried', name, value === '' ? 'none' : value, null, null]),
      ...numbers.map(({ name, value, unit }): Cell[] => ['comes to', name, value, unit ?? null, null]),
      ...(panel === 'limits' ? await limitRows() : []),
    ]
    const bytes = new TextEncoder().encode(rows.map((row) => csvLine(row)).join(''))
    await handOver([{ name: `lab-${panel}.csv`, bytes }], 'What is tried was')
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

/** What was cut before the dump was written, and the curve that is drawn: shares at each value (`at`, tokens) of the limit. */
async function limitRows(): Promise<Cell[][]> {
  const { limits, promptCut, completionPer, curve } = labPlace()
  const { inDump, curve: points } = await ask('tryLimits', { limits, promptCut, completionPer, curve })
  const known = [
    ['rollouts cut', inDump.rollouts.cut],
    ['rollouts that begin inside a turn', inDump.starts?.cut],
    ['supporting documents cut', inDump.supporting?.cut],
    ['answers cut', inDump.answers?.cut],
    ['answers never reached', inDump.answers?.unreached],
    ['tokens lost', inDump.lostTokens],
  ] as const
  return [
    ...known.map(([name, value]): Cell[] => ['cut in the dump', name, value ?? null, null, null]),
    ...points.flatMap(({ value, cut, answers, supporting }): Cell[][] => [
      [`curve of ${curve}`, 'rollouts cut', cut, 'share', value],
      [`curve of ${curve}`, 'answers not whole', answers, 'share', value],
      [`curve of ${curve}`, 'supporting documents cut', supporting, 'share', value],
    ]),
  ]
}
