import { counted } from './number-text.ts'
import type { CheckResult } from './report.ts'
import { shortName } from './short-name.ts'

/** `in steps 40–99 of environment wiki-search`, where a fault is systematic in a part of the dump alone; else empty. */
export function subsetText({ systematic_in: subset }: Pick<CheckResult, 'systematic_in'>): string {
  if (subset === undefined) return ''
  const { sources, environments, steps, rollouts } = subset
  const words = [
    ...(steps === undefined ? [] : [steps[0] === steps[1] ? `step ${steps[0]}` : `steps ${steps[0]}–${steps[1]}`]),
    ...(environments === undefined ? [] : [namesText('environment', environments)]),
    ...(sources === undefined ? [] : [counted(sources.length, 'file')]),
    ...(rollouts === undefined ? [] : [conditionText(rollouts)]),
  ]
  return `in ${words.join(' of ')}`
}

function conditionText(rollouts: NonNullable<NonNullable<CheckResult['systematic_in']>['rollouts']>): string {
  if ('parallel_calls' in rollouts) return 'rollouts with parallel calls'
  if ('tool' in rollouts) return `rollouts that call ${shortName(rollouts.tool)}`
  if ('least_turns' in rollouts) return `rollouts of ${counted(rollouts.least_turns, 'turn')} of the model or more`
  if ('least_tokens' in rollouts) return `rollouts of ${counted(rollouts.least_tokens, 'token')} or more`
  if (rollouts.most_reply_tokens === 0) return 'rollouts with an empty tool reply'
  return `rollouts with a tool reply of ${counted(rollouts.most_reply_tokens, 'token')} or fewer`
}

function namesText(noun: string, names: readonly string[]): string {
  const [first] = names
  return names.length === 1 && first !== undefined ? `${noun} ${shortName(first)}` : counted(names.length, noun)
}
