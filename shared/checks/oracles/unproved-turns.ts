import { count, counted } from '../../model/number-text.ts'
import type { CheckResult } from '../../model/report.ts'
import type { DumpView } from '../check.ts'
import { untrainedReplies } from '../grouping/branch-ends.ts'
import { toldOfNulls, untoldByNulls } from '../mask/nulls-as-mask.ts'

/** Rollouts with masked turns that may be right by what their format is known to do, and may be left out: nothing in the dump tells. */
export interface UnprovedTurns {
  readonly rollouts: number
  readonly of: number
  readonly kind: 'branch' | 'default' | 'nulls'
}

/**
 * Masked turns before the first that a rollout trains. A format whose trainer has a switch for them explains those of all rollouts, but not
 * those of some beside others that train theirs; a format of branches explains replies that another row trains. Null where there are none
 * that nothing explains, and where a person declared what is meant.
 *
 * @param counts of M03: rollouts looked at, and those whose findings are all intended
 */
export function unprovedTurns(
  { checked, intended }: Pick<CheckResult, 'checked' | 'intended'>,
  { settings: { policy, options }, facts }: Pick<DumpView, 'settings' | 'facts'>,
): UnprovedTurns | null {
  if (options.intend?.includes('M03')) return null
  const lost = untrainedReplies(facts)
  if (lost !== null) return { ...lost, kind: 'branch' }
  if (policy.id !== 'last-turn') {
    const untold = untoldByNulls(facts)
    // What rollouts of one prompt begin with is taken for examples in it.
    return untold === null || untold.turns === 0 || policy.examples_in_prompt
      ? null
      : { rollouts: untold.turns, of: untold.of, kind: 'nulls' }
  }
  if (policy.origin !== 'format' || intended === 0 || intended === checked) return null
  return { rollouts: intended, of: checked, kind: 'default' }
}

/** In words, with what a person can do. */
export function toldOfUnproved(unproved: UnprovedTurns | null, { facts }: Pick<DumpView, 'facts'>): string | null {
  if (unproved === null) return null
  if (unproved.kind === 'nulls') return toldOfNulls(facts, 'turns')
  const which = `${count(unproved.rollouts)} of ${counted(unproved.of, 'rollout')}`
  return unproved.kind === 'branch'
    ? `${which} mask replies that the model wrote and that no other row trains: a branch that is not in this dump, or turns left out. Open the files of all ranks together`
    : `${which} mask the turns before the first that they train, as the format does by default, and the others train theirs: declare --policy rl or --policy last-turn`
}
