import { saveTable, textOfAnswer } from '../../data/exporting.ts'
import { ask } from '../../engine/engine.ts'

/** Asks how what two runs differ in is to be saved, or the questions that both have. As Markdown the first is a text to paste. */
export function saveComparison(of: 'measures' | 'pairs'): void {
  saveTable({
    what: of === 'pairs' ? 'the pairs' : 'the comparison',
    stem: of === 'pairs' ? 'pairs' : 'comparison',
    make: (as, signal) => textOfAnswer(ask('comparisonExport', { of, as }, signal)),
  })
}
