import { count, counted } from '../../model/number-text.ts'
import { roleKind } from '../../model/roles.ts'
import type { Segmentation, Turn } from '../../model/tokens.ts'
import { TokenKind, type TurnFrame } from '../../tokens/tokenizer.ts'
import type { DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isForged } from '../template/forged-control.ts'

/** No header is longer: what stands behind a mark at the end of a row that was cut may be the rest of one. */
const MOST_HEADER_TOKENS = 16

/** How a role is spelt: what stands there instead of one may be a text without its header. */
const NAME = /^[\w.-]+$/

/**
 * Turns behind the first of the model that begin as the template lets turns begin, and of which nothing tells whose they are: their header is none that was
 * learned of the template, or it has a name that nobody listed. What stands before the model's first turn is the prompt, whoever wrote it.
 */
export function namelessTurns({ turns }: Segmentation, frame: TurnFrame | null): Turn[] {
  return turns.filter(({ kind, role, header, ordinal, contentStart, contentEnd, endToken }) => {
    if (kind !== 'other' || header !== 'present' || ordinal === 0 || roleKind(role) !== 'other') return false
    // Where roles are read as they are spelt, a header without one is damaged (T05).
    if (role === '' ? frame?.style !== 'learned' : !NAME.test(role)) return false
    return endToken >= 0 ? contentEnd > contentStart : contentEnd - contentStart > MOST_HEADER_TOKENS
  })
}

/**
 * Turns behind the first of the model that begin with a control token with which the template opens none, as an environment may write replies for which the
 * template has no header (`<|tool_response|>` of Phi-4-mini).
 */
function opened({ ids, tokenizer }: TrajectoryView, { turns }: Segmentation): Turn[] {
  if (tokenizer?.frame?.style !== 'learned') return []
  const { kinds } = tokenizer.table
  return turns.filter(({ kind, role, header, ordinal, start, contentEnd }) => {
    if (kind !== 'other' || header !== 'missing' || role !== '' || ordinal === 0) return false
    return kinds[ids[start] as number] === TokenKind.special && contentEnd - start > 1
  })
}

/** Whether a rollout has such turns that no text of a message forged (T15). Which documents the model had read when it answered is then not known either. */
export function namelessFact(
  view: TrajectoryView,
): Pick<TrajectoryFacts, 'namelessTurns' | 'supportingDocuments'> | null {
  const { segmentation, tokenizer } = view
  if (segmentation === null) return null
  const nameless = [...namelessTurns(segmentation, tokenizer?.frame ?? null), ...opened(view, segmentation)]
  return nameless.some((turn) => !isForged(view, turn)) ? { namelessTurns: true, supportingDocuments: null } : null
}

/** Rollouts with such turns; 0 where there are none. */
export function namelessRollouts(facts: readonly TrajectoryFacts[]): number {
  const columns = new FactColumns(facts)
  return columns.isEmpty('namelessTurns') ? 0 : columns.having('namelessTurns').length
}

/** Why it proves nothing that a check of turns found nothing; null where the role of every turn is known. */
export function toldOfNameless({ facts }: Pick<DumpView, 'facts'>): string | null {
  const rollouts = namelessRollouts(facts)
  return rollouts === 0
    ? null
    : `${count(rollouts)} of ${counted(facts.length, 'rollout')} ${rollouts === 1 ? 'has' : 'have'} turns of no role that is known behind the first of the model: nothing tells whether the model wrote them, or a tool`
}
