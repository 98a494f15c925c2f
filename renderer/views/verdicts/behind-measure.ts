import type { Measure, Report } from '../../../shared/model/report.ts'
import type { SortColumn } from '../../../shared/session/protocol.ts'
import type { GroupQuery } from '../../../shared/session/requests/groups.ts'
import { showRollouts } from '../../commands/go.ts'
import type { Behind } from '../../state/query-text.ts'
import { show } from '../../state/view.ts'
import { filterWords } from '../../text/filter-words.ts'
import { showGroups } from '../groups/groups-place.ts'

/** What proves a measure, and in words what opens: rollouts in the table, groups, or both runs beside each other. */
export type Proof = { readonly title: string } & (
  | { readonly opens: 'rollouts'; readonly behind: Behind; readonly sort?: SortColumn; readonly descending?: boolean }
  | { readonly opens: 'groups'; readonly query: GroupQuery }
  | { readonly opens: 'comparison' }
)

/** Null where nothing is behind it: a count of nothing, or what a log of the run says. */
export function proofOf({ measure: name, value, checks, where }: Measure, report: Report | null): Proof | null {
  if (where !== undefined) {
    if (where.documentsHidden && value === 1) return rollouts('has:documents', 'with supporting documents', 'tokens')
    if (value === 0) return null
    const title = `Show the rollouts with: ${filterWords(where, report?.limits ?? null)}`
    return { opens: 'rollouts', title, behind: { where } }
  }
  const own = PROOFS.find(({ of }) => of.test(name))
  if (own?.first) return own.ofSome && value === 0 ? null : own.proof(name)
  const failed = foundBy(report, checks)
  if (failed.length > 0)
    return { opens: 'rollouts', title: `Show the rollouts with ${checks.join(', ')}`, behind: { codes: checks } }
  return own === undefined || (own.ofSome && value === 0) ? null : own.proof(name)
}

export function openProof(proof: Proof): void {
  if (proof.opens === 'rollouts') showRollouts(proof.behind, proof)
  else if (proof.opens === 'groups') showGroups(proof.query)
  else show('compare')
}

/** Those of the checks that found something. */
export function foundBy(report: Report | null, codes: readonly string[]): string[] {
  const checks = report?.checks ?? []
  return codes.filter((code) => checks.some((check) => check.code === code && check.affected + check.intended > 0))
}

interface NamedProof {
  readonly of: RegExp
  /** Whether it goes before the rollouts that the checks of the measure name. */
  readonly first?: boolean
  /** It lists what the value counts, so that nothing is behind a 0. */
  readonly ofSome?: boolean
  proof(name: string): Proof
}

const rollouts = (query: string, which: string, sort: SortColumn, descending = true): Proof => ({
  opens: 'rollouts',
  title: `Show the rollouts ${which}`,
  behind: { query },
  sort,
  descending,
})

const groups = (which: string, query: GroupQuery): Proof => ({ opens: 'groups', title: `Show ${which}`, query })

const COMPLETE = ['dead', 'noise', 'contrast'] as const
const BY_SPREAD = groups('the complete groups, those whose rewards differ least first', {
  kinds: COMPLETE,
  sort: 'std',
  descending: false,
})
const LARGEST_ADVANTAGES = groups('the groups, those with the largest advantage first', {
  sort: 'advantage',
  descending: true,
})
const WITH_GAP = 'with logprobs of sampler and trainer'

function componentOf(name: string): string {
  return (
    /^share of the variance within groups from reward component (.+?)(?:, against the total)?$/s.exec(name)?.[1] ??
    /^correlation of (.+) with the total$/s.exec(name)?.[1] ??
    ''
  )
}

const PROOFS: readonly NamedProof[] = [
  {
    of: /^advantage scheme$/,
    proof: () => groups('all groups, and the scheme that their advantages follow', {}),
  },
  {
    of: /^share of complete groups without contrast/,
    first: true,
    ofSome: true,
    proof: () => groups('the groups without contrast', { kinds: ['dead', 'noise'], sort: 'std', descending: false }),
  },
  {
    of: /^share of complete groups with any spread/,
    first: true,
    proof: () => groups('the groups without any spread of rewards', { kinds: ['dead'] }),
  },
  {
    of: /^share of complete groups with a reward std below the |^largest (?:reward gap|amplification of a spread) below the floor$/,
    ofSome: true,
    proof: () =>
      groups('the groups whose rewards differ by less than the noise floor', {
        kinds: ['noise'],
        sort: 'amplification',
        descending: true,
      }),
  },
  {
    of: /^noise floor of the reward std$|^mean reward std within groups|^mean of the reward std/,
    proof: () => BY_SPREAD,
  },
  {
    of: /^contrast ratio: /,
    proof: () =>
      groups('the complete groups in the order of their mean reward', {
        kinds: COMPLETE,
        sort: 'mean',
        descending: true,
      }),
  },
  { of: /^largest \|advantage\|$|^bound of \|advantage\| /, proof: () => LARGEST_ADVANTAGES },
  {
    of: /^mean \|advantage\| over all rollouts$/,
    proof: () => rollouts('has:advantage', 'with an advantage, the largest first', 'advantage'),
  },
  {
    of: /^reward range$|^reward of every rollout in complete groups$/,
    proof: () => rollouts('has:reward', 'with a reward, the highest first', 'reward'),
  },
  {
    of: /^share of the variance within groups from reward component |^correlation of .+ with the total$/s,
    proof: (name) => {
      const component = componentOf(name)
      return rollouts('has:reward', `with a reward, those with the highest ${component} first`, `reward.${component}`)
    },
  },
  {
    of: /^mean length in tokens$/,
    proof: () => rollouts('has:ids', 'with token ids, the longest first', 'tokens'),
  },
  {
    of: /^correlation of length and reward$/,
    proof: () => rollouts('has:ids has:reward', 'with token ids and a reward, the longest first', 'tokens'),
  },
  {
    of: /^mean reward of the [\d,]+ rollouts? whose supporting documents are all visible/,
    first: true,
    proof: () =>
      rollouts(
        'has:documents has:reward -lost:documents',
        'whose supporting documents are all visible at the answer',
        'reward',
      ),
  },
  {
    of: /^share of the loss weight on tokens that the model did not write/,
    ofSome: true,
    proof: () =>
      rollouts(
        'state:trained part:system,user,tool,header,separator',
        'with trained tokens that the model did not write',
        'trained',
      ),
  },
  {
    of: /^share of the tokens the model wrote that carry no loss/,
    ofSome: true,
    proof: () =>
      rollouts(
        'state:masked part:assistant,think,tool_call trained_tokens>0',
        'with masked tokens that the model wrote',
        'trained',
        false,
      ),
  },
  {
    of: /^mean gap of sampler and trainer logprobs/,
    proof: () => rollouts('has:logprob_gap', `${WITH_GAP}, the largest gap first`, 'gap'),
  },
  {
    of: /^rank correlation of the gap with the step|^mean gap in the first third of the steps$/,
    first: true,
    proof: () => rollouts('has:logprob_gap has:step', `${WITH_GAP}, by training step`, 'step', false),
  },
  {
    of: /^mean gap in the last third of the steps$/,
    first: true,
    proof: () => rollouts('has:logprob_gap has:step', `${WITH_GAP}, the last training step first`, 'step'),
  },
  {
    of: /^mean KL over trained tokens|^mean of the stored KL|^least stored KL$|^formula that the stored KL follows/,
    proof: () => rollouts('mean_kl>=0', 'whose tokens trainer and reference scored, the largest KL first', 'kl'),
  },
  {
    of: /^share of paired questions|^questions that both runs have$|^difference of the shares|^mean reward difference of answers|^mean reward of .+ first to last third|^rank correlation of reward and step/,
    proof: () => ({ opens: 'comparison', title: 'Show both runs side by side' }),
  },
]
