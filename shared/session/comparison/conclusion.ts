import { IN_MANY_TURNS_ONLY } from '../../hypotheses/h07.ts'
import { CUT_SHARES, LIKE_ANSWERS, PAIRED_QUESTIONS } from '../../hypotheses/h08.ts'
import { otherModels, otherTokenizers } from '../../hypotheses/run-likeness.ts'
import { count, counted, measured, percent } from '../../model/number-text.ts'
import type { HypothesisId, HypothesisResult } from '../../model/report.ts'
import { STREAMS } from '../../model/streams.ts'
import { STREAM_TITLES } from '../audit/streams.ts'
import type { ComparedMeasure, ComparisonConclusion, PairTotals } from '../requests/compare.ts'
import type { ComparedSide } from './pair.ts'

/** What two runs come to, in sentences: why they may differ for reasons of their own, what differs, and what that decides. */
export function concludeComparison(
  sides: { readonly here: ComparedSide; readonly there: ComparedSide },
  measures: readonly ComparedMeasure[],
  together: readonly HypothesisResult[],
  pairs: PairTotals,
): ComparisonConclusion {
  return { caveats: caveatsOf(sides, pairs), differs: whatDiffers(sides, measures), decides: whatIsDecided(together) }
}

type Sides = Parameters<typeof concludeComparison>[0]

function caveatsOf({ here, there }: Sides, pairs: PairTotals): string[] {
  const models = otherModels(here.run.dump.facts, there.run.dump.facts)
  const tokenizers = otherTokenizers(here.report.tokenizer.id, there.report.tokenizer.id)
  const fewest = Math.min(here.report.totals.trajectories, there.report.totals.trajectories)
  const few = here.run.dump.settings.thresholds['confidence-low-rollouts']
  const whose = here.report.totals.trajectories === fewest ? 'open' : 'second'
  return [
    ...(pairs.sameRecords
      ? [
          'Most rollouts of the questions that both have are the same records: one run is laid beside itself, wholly or in part. Choose another second run.',
        ]
      : []),
    ...(models === null
      ? []
      : [`They are runs of two models, ${models.here} and ${models.there}: a difference may be that of the models.`]),
    ...(tokenizers === null
      ? []
      : [
          `They are written by two tokenizers, ${tokenizers.here} and ${tokenizers.there}: lengths count other tokens, turns are laid out otherwise, and nothing is compared id by id.`,
        ]),
    ...(pairs.pairs === 0 && pairs.onlyHere > 0 && pairs.onlyThere > 0
      ? ['No question is in both: a difference may be that of the tasks.']
      : []),
    ...(fewest > 0 && fewest < few
      ? [`The ${whose} run has ${counted(fewest, 'rollout')}: too few for much to be sure of.`]
      : []),
  ]
}

/** Codes that are named before the rest is counted. */
const MOST_NAMED = 4

function whatDiffers(sides: Sides, measures: readonly ComparedMeasure[]): string {
  const told = measures.filter(({ here, there }) => here !== null && there !== null)
  const differing = told.filter(({ distance, isSure }) => distance !== null && distance > 0 && isSure !== false)
  if (told.length === 0) return 'No measure is told by both runs.'
  const parts = [...verdictParts(differing), ...checkParts(sides, differing), ...valueParts(measures)]
  if (differing.length === 0) {
    const alike = `Both runs are alike in all ${count(told.length)} measures and settings that both tell, but for what chance explains`
    return `${[alike, ...parts].join('; ')}.`
  }
  const head = `${count(differing.length)} of ${count(told.length)} measures and settings differ by more than chance`
  return `${head}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}.`
}

/** `H02 and H04 are supported in the open run and contradicted in the second` */
function verdictParts(differing: readonly ComparedMeasure[]): string[] {
  const groups = new Map<string, string[]>()
  for (const { section, id, here, there } of differing) {
    if (section !== 'verdicts') continue
    const key = `${here} in the open run and ${there} in the second`
    groups.set(key, [...(groups.get(key) ?? []), id.slice('verdicts.'.length)])
  }
  return [...groups].map(([key, ids]) => `${listed(ids.sort())} ${ids.length === 1 ? 'is' : 'are'} ${key}`)
}

/** `9 error-level checks fail in the open run only: T05, M15, T04, L02 and 5 more` */
function checkParts(sides: Sides, differing: readonly ComparedMeasure[]): string[] {
  const only = (whose: 'here' | 'there', other: 'here' | 'there', name: string) => {
    // How grave a fault is hangs on the run that has it: where a check passes, its severity says nothing.
    const severe = new Set(
      sides[whose].report.checks.flatMap(({ code, severity, status }) =>
        severity === 'error' && status === 'fail' ? code : [],
      ),
    )
    const codes = differing.flatMap((measure) => {
      const code = measure.id.slice('checks.'.length)
      const isIts = measure.section === 'checks' && severe.has(code) && Number(measure[whose]) > 0
      return isIts && measure[other] === 0 ? code : []
    })
    if (codes.length === 0) return []
    const checks = counted(codes.length, 'error-level check')
    return [`${checks} ${codes.length === 1 ? 'fails' : 'fail'} in the ${name} run only (${listed(codes)})`]
  }
  return [...only('here', 'there', 'open'), ...only('there', 'here', 'second')]
}

/** How the runs went, where both tell and it is not the same. */
function valueParts(measures: readonly ComparedMeasure[]): string[] {
  return HEADLINES.flatMap(({ id, words }) => {
    const measure = measures.find((each) => each.id === id)
    if (typeof measure?.here !== 'number' || typeof measure.there !== 'number' || measure.distance === 0) return []
    // Whether the reward moved is asked in any case.
    if (measure.isSure === false && id !== 'reward.mean') return []
    const by = measure.isSure === false ? ', which chance may explain' : ''
    return [`${words(shown(measure, measure.here), shown(measure, measure.there))}${by}`]
  })
}

const HEADLINES: readonly { readonly id: string; words(here: string, there: string): string }[] = [
  {
    id: 'reward.mean',
    words: (here, there) => `the mean reward is ${here} in the open run and ${there} in the second`,
  },
  { id: 'ends.cut', words: (here, there) => `a limit cut ${here} of the rollouts and ${there}` },
  { id: 'turns.assistant', words: (here, there) => `rollouts have ${here} assistant turns and ${there}, on average` },
  { id: 'lengths.sequence', words: (here, there) => `they are ${here} tokens long and ${there}` },
]

function shown({ unit }: ComparedMeasure, value: number): string {
  if (unit === 'share') return percent(value)
  return unit === 'tokens' ? count(Math.round(value)) : measured('', Number(value.toPrecision(3)))
}

interface Claim {
  readonly supported: string
  contradicted(result: HypothesisResult): string
}

const CLAIMS: Readonly<Partial<Record<HypothesisId, Claim>>> = {
  'H06-library': {
    supported: 'the library improves not even the single-turn task',
    contradicted: () => 'the library improves the single-turn task, and is not at fault',
  },
  H07: {
    supported: 'the fault comes with the second turn',
    contradicted: () => 'later turns have no fault that the first has not',
  },
  H08: {
    supported:
      'the same questions are put, ended or scored differently in the two, which is a fault where one of them is an evaluation of the other',
    contradicted: sameQuestions,
  },
}

/** What is done with a question, and how the measures of H08 begin that compare it. */
const DONE_WITH_QUESTIONS: readonly (readonly [done: string, measures: string])[] = [
  ['put', PAIRED_QUESTIONS],
  ['ended', CUT_SHARES],
  ['scored', LIKE_ANSWERS],
]

/** Only what was compared and found alike is said to be; the rewards of two runs may differ however their questions are scored. */
function sameQuestions({ because }: HypothesisResult): string {
  const isAlike = (measures: string) =>
    because.some(({ measure, speaks }) => speaks === 'against' && measure.startsWith(measures))
  const alike = DONE_WITH_QUESTIONS.filter(([, measures]) => isAlike(measures)).map(([done]) => done)
  const open = DONE_WITH_QUESTIONS.filter(([, measures]) => !isAlike(measures)).map(([done]) => done)
  const left = open.length === 0 ? '' : `; whether they are ${open.join(' or ')} alike is not decided`
  return `the same questions are ${listed(alike)} alike${left}`
}

function whatIsDecided(together: readonly HypothesisResult[]): string {
  const decided = together.flatMap((result) => {
    const { id, verdict, confidence } = result
    const claims = CLAIMS[id]
    const claim = verdict === 'supported' ? claims?.supported : claims?.contradicted(result)
    return claim === undefined || (verdict !== 'supported' && verdict !== 'contradicted')
      ? []
      : [
          `${id} is ${verdict}${restsOnBoth(result) ? '' : ' by the open run alone'} (${confidence} confidence): ${claim}`,
        ]
  })
  const open = together.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'not-checkable')
  const left = open.map(({ id, missing: [lack] }) => (lack === undefined ? id : `${id} (lacks ${inShort(lack)})`))
  return [
    decided.length === 0
      ? 'The two together decide none of the hypotheses that take two runs.'
      : `${decided.join('. ')}.`,
    ...(left.length === 0 ? [] : [`Left open: ${left.join('; ')}.`]),
  ].join(' ')
}

/** A stream by its title, and of a sentence what stands before its reason. */
function inShort(lack: string): string {
  const stream = STREAMS.find((each) => each === lack)
  return stream === undefined ? (lack.split(': ')[0] ?? lack) : STREAM_TITLES[stream]
}

/** H07 is told by one run as well, where faults differ from turn to turn. */
export function restsOnBoth({ id, because }: HypothesisResult): boolean {
  return id !== 'H07' || because.some(({ measure }) => measure.endsWith(IN_MANY_TURNS_ONLY))
}

function listed(names: readonly string[]): string {
  const shownNames = names.slice(0, MOST_NAMED)
  const more = names.length - shownNames.length
  if (more > 0) return `${shownNames.join(', ')} and ${more} more`
  return shownNames.length < 2 ? shownNames.join('') : `${shownNames.slice(0, -1).join(', ')} and ${shownNames.at(-1)}`
}
