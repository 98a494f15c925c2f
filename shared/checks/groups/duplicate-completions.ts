import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'

/** A06. Rollouts of one group are the same, token by token: the group holds fewer samples than it claims. */
export const duplicateCompletions: Check = {
  code: 'A06',
  name: 'duplicate-completions',
  title: 'Completions of a group are identical',
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

function lookAtGroups(view: DumpView, report: DumpReporter): void {
  const least = view.settings.thresholds['duplicate-tokens']
  for (const group of view.groups) {
    if (group.members.length < 2) continue
    const copies = new Map<string, TrajectoryFacts[]>()
    for (const member of group.members) {
      if (member.idsHash === null || sampledTokens(member) < least) continue
      const same = copies.get(member.idsHash)
      if (same === undefined) copies.set(member.idsHash, [member])
      else same.push(member)
    }
    if (group.members.every(({ idsHash }) => idsHash === null)) continue
    const repeated = [...copies.values()].filter((same) => same.length > 1)
    const affected = repeated.length > 0
    report.unit(affected)
    report.place(affected)
    if (!affected) continue
    const extra = repeated.flatMap((same) => same.slice(1))
    report.fault({
      group,
      affectedTokens: extra.reduce((sum, { trained }) => sum + (trained ?? 0), 0),
      affectedWeight: extra.reduce((sum, { weight }) => sum + (weight ?? 0), 0),
      message: `${extra.length} of ${group.members.length} rollouts of group ${group.id} are copies of others, token by token`,
      evidence: {
        copies: repeated.map((same) => same.map(({ id }) => id)),
        sampled_tokens: repeated.map(([first]) => sampledTokens(first as TrajectoryFacts)),
        rewards: repeated.map((same) => same.map(({ reward }) => reward)),
        different_rollouts: group.members.length - extra.length,
      },
    })
  }
}

function sampledTokens({ assistantLengths }: TrajectoryFacts): number {
  return assistantLengths.reduce((sum, length) => sum + length, 0)
}
