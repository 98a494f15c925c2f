import { foundBy } from '../../../shared/exports/phrases.ts'
import type { Measure, MeasureSubject, Report } from '../../../shared/model/report.ts'
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
export function proofOf({ value, checks, where, rests_on }: Measure, report: Report | null): Proof | null {
  if (where !== undefined) {
    if (where.documentsHidden && value === 1) return rollouts('has:documents', 'with supporting documents', 'tokens')
    if (value === 0) return null
    const title = `Show the rollouts with: ${filterWords(where, report?.limits ?? null)}`
    return { opens: 'rollouts', title, behind: { where } }
  }
  const own = rests_on === undefined ? undefined : subjectOf(rests_on)
  const shown = own === undefined || (own.ofSome && value === 0) ? null : own.proof
  if (own?.first) return shown
  const failed = foundBy(report, checks)
  if (failed.length > 0)
    return { opens: 'rollouts', title: `Show the rollouts with ${checks.join(', ')}`, behind: { codes: checks } }
  return shown
}

export function openProof(proof: Proof): void {
  if (proof.opens === 'rollouts') showRollouts(proof.behind, proof)
  else if (proof.opens === 'groups') showGroups(proof.query)
  else show('compare')
}

interface Subject {
  readonly proof: Proof
  /** Whether it goes before the rollouts that the checks of the measure name. */
  readonly first?: boolean
  /** It lists what the value counts, so that nothing is behind a 0. */
  readonly ofSome?: boolean
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
const WITH_GAP = 'with logprobs of sampler and trainer'

function subjectOf(subject: MeasureSubject): Subject {
  if (typeof subject === 'string') return SUBJECTS[subject]
  const { component } = subject
  return {
    proof: rollouts('has:reward', `with a reward, those with the highest ${component} first`, `reward.${component}`),
  }
}

const SUBJECTS: Readonly<Record<Extract<MeasureSubject, string>, Subject>> = {
  scheme: { proof: groups('all groups, and the scheme that their advantages follow', {}) },
  'groups-without-contrast': {
    first: true,
    ofSome: true,
    proof: groups('the groups without contrast', { kinds: ['dead', 'noise'], sort: 'std', descending: false }),
  },
  'groups-without-spread': {
    first: true,
    proof: groups('the groups without any spread of rewards', { kinds: ['dead'] }),
  },
  'groups-below-noise': {
    ofSome: true,
    proof: groups('the groups whose rewards differ by less than the noise floor', {
      kinds: ['noise'],
      sort: 'amplification',
      descending: true,
    }),
  },
  'reward-spread': {
    proof: groups('the complete groups, those whose rewards differ least first', {
      kinds: COMPLETE,
      sort: 'std',
      descending: false,
    }),
  },
  'group-means': {
    proof: groups('the complete groups in the order of their mean reward', {
      kinds: COMPLETE,
      sort: 'mean',
      descending: true,
    }),
  },
  'largest-advantages': {
    proof: groups('the groups, those with the largest advantage first', { sort: 'advantage', descending: true }),
  },
  advantages: { proof: rollouts('has:advantage', 'with an advantage, the largest first', 'advantage') },
  rewards: { proof: rollouts('has:reward', 'with a reward, the highest first', 'reward') },
  lengths: { proof: rollouts('has:ids', 'with token ids, the longest first', 'tokens') },
  'lengths-and-rewards': {
    proof: rollouts('has:ids has:reward', 'with token ids and a reward, the longest first', 'tokens'),
  },
  'supporting-documents': { proof: rollouts('has:documents', 'with supporting documents in their record', 'reward') },
  'visible-documents': {
    first: true,
    proof: rollouts(
      'has:documents has:reward -lost:documents',
      'whose supporting documents are all visible at the answer',
      'reward',
    ),
  },
  'trained-unwritten-tokens': {
    ofSome: true,
    proof: rollouts(
      'state:trained part:system,user,tool,header,separator',
      'with trained tokens that the model did not write',
      'trained',
    ),
  },
  'masked-written-tokens': {
    ofSome: true,
    proof: rollouts(
      'state:masked part:assistant,think,tool_call trained_tokens>0',
      'with masked tokens that the model wrote',
      'trained',
      false,
    ),
  },
  'logprob-gap': { proof: rollouts('has:logprob_gap', `${WITH_GAP}, the largest gap first`, 'gap') },
  'logprob-gap-by-step': {
    first: true,
    proof: rollouts('has:logprob_gap has:step', `${WITH_GAP}, by training step`, 'step', false),
  },
  'logprob-gap-of-last-steps': {
    first: true,
    proof: rollouts('has:logprob_gap has:step', `${WITH_GAP}, the last training step first`, 'step'),
  },
  kl: {
    proof: rollouts('mean_kl>=0', 'whose tokens trainer and reference scored, the largest KL first', 'kl'),
  },
  'both-runs': { proof: { opens: 'comparison', title: 'Show both runs side by side' } },
}
