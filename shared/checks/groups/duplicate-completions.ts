import { count, counted, percent } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { PREFIX_TOKENS, type TrajectoryFacts } from '../facts/facts.ts'
import { copiesIn, partsOf, type SureAnswer, sampledFor, sureAnswerIn } from './copies.ts'
import { trainedIn } from './statistics.ts'

/**
 * A06. Rollouts of one group are the same, token by token: the group holds fewer samples than it claims. That most of them begin alike for
 * long is a note: a policy that is sure of itself does so as well. One that is sure of a whole answer gives it several times, which is a
 * note where hardly any rollout says something else. So it is where the last turn alone is trained and is short: turns before it are history,
 * which the rows of a group mostly have in common.
 */
export const duplicateCompletions: Check = {
  code: 'A06',
  name: 'duplicate-completions',
  title: 'Completions of a group are copies, or begin alike for long',
  hypotheses: ['H05'],
  severity: 'warning',
  unit: 'group',
  needs: ['ids', 'group'],
  looksAt: 'groups of two rollouts or more',
  why: 'Copies are no samples: they narrow the spread of rewards, and the same tokens are trained several times.',
  fix: 'Look at the temperature and at the sampling seed: engines that are seeded alike give every request the same text.',
  cite: 'ms-swift#3450, vllm#11898, vllm#16449, tt-metal#53077',
  dump: lookAtGroups,
}

function lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  const { thresholds, policy } = view.settings
  const hasHistory = policy.id === 'last-turn'
  return forEachOf(view.groups, (group) => {
    const { members } = group
    if (members.length < 2 || members.every(({ idsHash }) => idsHash === null)) return
    const repeated = copiesIn(group, thresholds)
    const prefix = longestSharedPrefix(hasHistory ? members.filter(isOneTurn) : members)
    const alike = prefix !== null && isWorthANote(prefix, members.length, thresholds)
    const sure = sureAnswerIn(group, thresholds)
    const affected = repeated.length > 0 || alike || sure !== null
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    const history = hasHistory ? historyIn(repeated, thresholds) : null
    const extra = repeated.flatMap((same) => same.slice(1))
    report.fault({
      group,
      ...(extra.length === 0 || history !== null ? { severity: 'info' } : {}),
      ...trainedIn(extra.flatMap((copy) => partsOf(group, copy))),
      message: `${described(group, extra.length, sure, prefix)}${history ?? ''}`,
      evidence: {
        copies: repeated.map((same) => same.map(({ id }) => id)),
        sampled_tokens: repeated.map(([first]) => sampledFor(group, first as TrajectoryFacts)),
        rewards: repeated.map((same) => same.map(({ reward }) => reward)),
        different_rollouts: members.length - extra.length - (sure === null ? 0 : sure.members.length - 1),
        probability: sure?.probability ?? null,
        shared_prefix: prefix,
        temperature: temperaturesOf(members),
      },
    })
  })
}

function isOneTurn({ assistantTurns }: TrajectoryFacts): boolean {
  return assistantTurns === 1
}

/** Why copies may be none, where the last turn is what a row sampled itself; null where that is as long as a copy has to be. */
function historyIn(repeated: readonly TrajectoryFacts[][], thresholds: Thresholds): string | null {
  if (repeated.length === 0) return null
  let longest = 0
  for (const [first] of repeated) {
    const length = lastTurnOf(first as TrajectoryFacts)
    if (length === null || length >= thresholds['duplicate-tokens']) return null
    longest = Math.max(longest, length)
  }
  return `; what stands before their last turn, of ${counted(longest, 'token')}, is history, which the rows of a group may share`
}

/** Tokens of the last turn of the model where others stand before it, else null. */
function lastTurnOf({ assistantLengths }: TrajectoryFacts): number | null {
  return assistantLengths.length > 1 ? (assistantLengths.at(-1) as number) : null
}

function described(
  { id, members }: GroupView,
  copies: number,
  sure: SureAnswer | null,
  prefix: SharedPrefix | null,
): string {
  const of = (some: number) => `${count(some)} of ${counted(members.length, 'rollout')} of group ${id}`
  if (copies === 0 && sure !== null)
    return `${of(sure.members.length)} are the same, token by token, and the policy is sure of this answer: its logprobs give it ${percent(sure.probability)}`
  if (copies > 0 || prefix === null) return `${of(copies)} are copies of others, token by token`
  return `${of(prefix.rollouts)} begin with the same ${count(prefix.tokens)} sampled tokens or more`
}

interface SharedPrefix {
  /** Sampled tokens that these rollouts have in common at least: one of `PREFIX_TOKENS`. */
  readonly tokens: number
  readonly rollouts: number
}

/** The longest beginning that two rollouts or more share, and how many of them; null where none is as long as the shortest compared. */
function longestSharedPrefix(members: readonly TrajectoryFacts[]): SharedPrefix | null {
  for (let k = PREFIX_TOKENS.length - 1; k >= 0; k--) {
    const counts = new Map<string, number>()
    let most = 0
    for (const { prefixHashes } of members) {
      const hash = prefixHashes?.[k]
      if (hash === undefined) continue
      const count = (counts.get(hash) ?? 0) + 1
      counts.set(hash, count)
      most = Math.max(most, count)
    }
    if (most > 1) return { tokens: PREFIX_TOKENS[k] as number, rollouts: most }
  }
  return null
}

function isWorthANote({ tokens, rollouts }: SharedPrefix, members: number, thresholds: Thresholds): boolean {
  return tokens >= thresholds['shared-prefix-tokens'] && rollouts > thresholds['shared-prefix-share'] * members
}

/** The sampling temperatures that the members declare, each once; null where none does. */
function temperaturesOf(members: readonly TrajectoryFacts[]): number[] | null {
  const found = new Set(members.flatMap(({ temperature }) => temperature ?? []))
  return found.size === 0 ? null : [...found]
}
