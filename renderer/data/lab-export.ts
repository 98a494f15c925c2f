import type { Cell } from '../../shared/exports/csv.ts'
import { type TextTable, tableText } from '../../shared/exports/table-text.ts'
import { ask } from '../engine/engine.ts'
import { labPlace, type Panel } from '../views/lab/lab-place.ts'
import { saveTable } from './exporting.ts'
import { triedIn } from './pinning.ts'

/** Asks how what is tried in the open panel of the lab, and what comes of it, is to be saved: one number a line. */
export function saveTried(): void {
  const { panel } = labPlace()
  saveTable({ what: 'what is tried', stem: `lab-${panel}`, make: async (as) => tableText(await triedTable(panel), as) })
}

async function triedTable(panel: Panel): Promise<TextTable> {
  const { key, numbers } = await triedIn(panel)
  const tried = Object.entries(key).filter(([name]) => name !== 'panel')
  return {
    columns: ['kind', 'name', 'value', 'unit', 'at'],
    rows: [
      ...tried.map(([name, value]): Cell[] => ['tried', name, value === '' ? 'none' : value, null, null]),
      ...numbers.map(({ name, value, unit }): Cell[] => ['comes to', name, value, unit ?? null, null]),
      ...(panel === 'limits' ? await limitRows() : []),
    ],
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
