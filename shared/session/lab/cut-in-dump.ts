import type { DumpView } from '../../checks/check.ts'
import { hasLostText } from '../../checks/facts/rollout-filter.ts'
import { endsInAnswer } from '../../checks/truncation/ending.ts'
import { cutAgainstSiblings } from '../../checks/truncation/prompt-cut-left.ts'
import { endOf, toldEnds } from '../../checks/truncation/told-ends.ts'
import type { AnswerPart, Part } from './limits.ts'

/** What was cut away before the dump was written, as far as it tells, over all of its rollouts. Null where nothing tells. */
export interface CutInDump {
  /** Rollouts that are known to have lost text, or that end where nothing closes them. */
  readonly rollouts: Part
  /** Rollouts that begin inside a turn. */
  readonly starts: Part | null
  /**
   * Documents that the messages brought to the model (`of`) and that do not stand whole in the ids (`cut`), and those that do and that no
   * answer follows (`unanswered`). Without messages nothing tells which were ever brought.
   */
  readonly supporting: (Part & { readonly unanswered: number }) | null
  /**
   * Rollouts that end inside what the model wrote (`cut`), and those that break off in or before a tool's reply, so that its answer never
   * came (`unreached`), of those whose end is known. One that the environment ended behind a whole reply is neither.
   */
  readonly answers: AnswerPart | null
  /** Tokens of text that the messages hold and the ids do not; 0 where none is known. */
  readonly lostTokens: number
}

export function cutInDump(dump: DumpView): CutInDump {
  const rows = dump.facts.filter(({ idsHash }) => idsHash !== null)
  const beginLater = cutAgainstSiblings(dump)
  const ends = toldEnds(dump)
  const [rollouts, starts] = [empty(), empty()]
  const supporting = { ...empty(), unanswered: 0 }
  const answers = { ...empty(), unreached: 0 }
  let lostTokens = 0
  for (const row of rows) {
    count(rollouts, hasLostText(row, ends) || beginLater.has(row))
    if (row.turns > 0) count(starts, row.cutLeft !== undefined || beginLater.has(row))
    if (row.endReason !== 'unknown' && row.endReason !== 'prompt-only' && !ends.open.has(row)) {
      count(answers, endsInAnswer({ endReason: endOf(row, ends) }))
      if (row.endReason === 'cut-reply') answers.unreached++
    }
    lostTokens += row.lost
    const { retrieved = null, visible = 0, standing = 0 } = row.supportingDocuments ?? {}
    if (retrieved === null) continue
    supporting.of += retrieved
    supporting.cut += Math.max(0, retrieved - standing)
    supporting.unanswered += Math.min(retrieved, standing) - Math.min(retrieved, visible)
  }
  const told = <Told extends Part>(part: Told) => (part.of === 0 ? null : part)
  return { rollouts, starts: told(starts), supporting: told(supporting), answers: told(answers), lostTokens }
}

function empty(): { of: number; cut: number } {
  return { of: 0, cut: 0 }
}

function count(part: { of: number; cut: number }, isCut: boolean): void {
  part.of++
  if (isCut) part.cut++
}
