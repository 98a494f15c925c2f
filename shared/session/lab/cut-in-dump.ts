import type { DumpView } from '../../checks/check.ts'
import { hasLostText } from '../../checks/rollout-filter.ts'
import { cutAgainstSiblings } from '../../checks/truncation/prompt-cut-left.ts'
import type { Part } from './limits.ts'

/** What was cut away before the dump was written, as far as it tells, over all of its rollouts. Null where nothing tells. */
export interface CutInDump {
  /** Rollouts that are known to have lost text, or that end where nothing closes them. */
  readonly rollouts: Part
  /** Rollouts that begin inside a turn. */
  readonly starts: Part | null
  /** Documents of rollouts that were brought to the model and are not in the ids. */
  readonly supporting: Part | null
  /** Rollouts that end inside what the model wrote, of those whose end is known. */
  readonly answers: Part | null
  /** Tokens of text that the messages hold and the ids do not; 0 where none is known. */
  readonly lostTokens: number
}

export function cutInDump(dump: DumpView): CutInDump {
  const rows = dump.facts.filter(({ idsHash }) => idsHash !== null)
  const beginLater = cutAgainstSiblings(dump)
  const [rollouts, starts, supporting, answers] = [empty(), empty(), empty(), empty()]
  let lostTokens = 0
  for (const row of rows) {
    count(rollouts, hasLostText(row) || beginLater.has(row))
    if (row.turns > 0) count(starts, row.cutLeft !== undefined || beginLater.has(row))
    if (row.endReason !== 'unknown' && row.endReason !== 'prompt-only') {
      count(answers, row.endReason === 'cut-prose' || row.endReason === 'cut-call')
    }
    lostTokens += row.lost
    if (row.supportingDocuments === null) continue
    const { available, retrieved, visible } = row.supportingDocuments
    const brought = retrieved ?? available
    supporting.of += brought
    supporting.cut += Math.max(0, brought - visible)
  }
  const told = (part: Part) => (part.of === 0 ? null : part)
  return { rollouts, starts: told(starts), supporting: told(supporting), answers: told(answers), lostTokens }
}

function empty(): { of: number; cut: number } {
  return { of: 0, cut: 0 }
}

function count(part: { of: number; cut: number }, isCut: boolean): void {
  part.of++
  if (isCut) part.cut++
}
