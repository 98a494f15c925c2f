import type { Count } from '../model/report.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { pairBounds, rewardGapBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import type { MeanRewards } from './paired-rewards.ts'
import { measurePairs, measuringPairs, type PairMeasures } from './pairs.ts'
import { lackOfSameModel } from './run-likeness.ts'
import {
  type Argument,
  compared,
  conclude,
  deciding,
  holds,
  type Judgement,
  lesserFaults,
  notCheckable,
  restingOn,
  shareOf,
  stated,
} from './verdict.ts'
import type { Bound } from './would-change.ts'

/** How the measures begin that say whether questions are put, ended and scored alike. */
export const PAIRED_QUESTIONS = 'share of paired questions whose'
const WORDS_DIFFER = `${PAIRED_QUESTIONS} words differ, though the question is the same`
const TOOLS_DIFFER = `${PAIRED_QUESTIONS} tools differ`
const SYSTEM_DIFFERS = `${PAIRED_QUESTIONS} system text differs`
const RENDERED_APART = `${PAIRED_QUESTIONS} prompt ids differ though tools and system text agree`
const OPENED_APART = `${PAIRED_QUESTIONS} prompt begins the answer otherwise (thinking on or off, other words, or no newline before it)`
const REPLIES_APART = `${PAIRED_QUESTIONS} tool replies stand under another role`
const ENDS_APART =
  'share of questions that both runs have whose rollouts are cut in one run and not in the other, beyond chance'
export const CUT_SHARES = 'difference of the shares of rollouts that were cut'
export const LIKE_ANSWERS = 'mean reward difference of answers in the same words'
const MEANS_APART = 'difference of the mean rewards of the questions that both runs have'
/** Why it speaks neither way beyond chance. */
const OF_MODEL_OR_SCORER = ', beyond chance, by the model or by how it is scored'
const TOOLS_LOST = 'of these, whose tools stand in the prompts of one run only (T07 of the other)'
const LIMITS = 'limits of tokens and turns'

/** What the runs do not share where a measure that begins so speaks for the hypothesis. */
export const NOT_SHARED: readonly (readonly [measure: string, what: string])[] = [
  [WORDS_DIFFER, 'wording of the questions'],
  [TOOLS_DIFFER, 'tools'],
  [SYSTEM_DIFFERS, 'system text'],
  [RENDERED_APART, 'chat template'],
  [REPLIES_APART, 'chat template'],
  [OPENED_APART, 'generation prompt (thinking on or off, other words, or no newline at its end)'],
  [CUT_SHARES, LIMITS],
  [ENDS_APART, LIMITS],
  [LIKE_ANSWERS, 'reward function'],
]

/** Evaluation/training mismatch: two runs of the same questions are not given the same prompt, or not scored the same way. */
export const H08: Hypothesis = {
  id: 'H08',
  title: 'Evaluation/training mismatch',
  claim: 'The same question is put, ended or scored differently in training and in evaluation.',
  judge: (input) => conclude(H08, input, decide(input)),
  *measure(input) {
    if (input.against) yield* measuringPairs(input, input.against)
  },
}

function decide(input: HypothesisInput): Judgement {
  const { against } = input
  if (!against) return notCheckable(['a second run of the same questions (--against)'])
  const found = measurePairs(input, against)
  if (found.pairs === 0) {
    return notCheckable([
      'questions that both runs have (none of this run is in the second, by their words or by ids of one tokenizer)',
    ])
  }
  const { thresholds } = input.dump.settings
  const scored = (found.likeTexts?.count ?? 0) >= thresholds['h08-like-answers']
  const gap = scored ? (found.likeTexts?.rewardGap ?? null) : null
  const rescored = gap !== null && holds(gap, rewardGapBounds(thresholds).supported)
  // Records that stand in both runs can but hide a difference: one that shows all the same is of rollouts that were scored again.
  if (found.sameRecords && !rescored) {
    return notCheckable([
      'another run: most rollouts of the questions that both have are the same records, so that one run is laid beside itself',
    ])
  }
  const pairs = pairBounds(thresholds)
  const shares = [found.words, found.tools, found.system, found.rendering, found.opening].flatMap(
    (count) => shareOf(count) ?? [],
  )
  const cutGap = found.cut === null ? null : Math.abs(found.cut.here - found.cut.there)
  const unlike = lackOfSameModel(input, against)
  // Another model writes at another length.
  const cutApart = cutGap !== null && unlike.length === 0 && holds(cutGap, pairs.supported)
  const cutDiffers = cutApart && found.cut?.sure === true
  const endsDiffer = found.endsApart !== null && unlike.length === 0 && holds(found.endsApart, pairs.supported)
  const repliesDiffer = areRepliesApart(found.replies, thresholds)
  const supported =
    shares.some((value) => holds(value, pairs.supported)) || repliesDiffer || cutDiffers || endsDiffer || rescored
  // Neither rewards of like texts nor like messages show that the prompts agree: what the templates made of them does.
  // Nor do pairs agree of which one run has more cut, be they too few to show more than chance. Rewards that chance does not part as far may be those of
  // a better model and those of another scorer: only answers in the same words tell.
  const meansApart = gap === null && areApart(found.meanRewards, thresholds)
  // What was not looked at is no agreement.
  const areOpeningsTold = holds(found.openingUntold, pairs.contradicted)
  const areRepliesAlike = holds(shareOf(found.replies) ?? 0, pairs.contradicted)
  const contradicted =
    !supported && !cutApart && !meansApart && areRepliesAlike && areOpeningsTold && found.rendering !== null
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [
      ...restingOn(
        'both-runs',
        linesOf(found, { cutGap, cutDiffers, gap, meansApart, unlike: unlike.length > 0 }, thresholds),
      ),
      ...lesserFaults(H08, input, []),
    ],
    missing: [
      ...(found.rendering === null && found.renderingAsked > 0
        ? ['ids of the prompts in both runs, by one tokenizer']
        : []),
      ...(areOpeningsTold
        ? []
        : [
            'what the prompts begin the answer with, in both runs (length of the prompt, or which tokens were sampled)',
          ]),
      ...(found.tools === null ? ['tools of both runs'] : []),
      ...(gap === null ? ['answers in the same words, with rewards in both runs'] : []),
      ...unlike,
    ],
    firm: unlike.length === 0,
    // A run may be large and share a single question with the other.
    rollouts: found.rollouts,
  }
}

interface Differences {
  readonly cutGap: number | null
  readonly cutDiffers: boolean
  readonly gap: number | null
  /** The mean rewards differ beyond chance, and nothing tells whether both runs score alike. */
  readonly meansApart: boolean
  /** The runs are not of one model. */
  readonly unlike: boolean
}

function linesOf(found: PairMeasures, differences: Differences, thresholds: Thresholds): Argument[] {
  const { cutGap, cutDiffers, gap, meansApart, unlike } = differences
  const { supported, contradicted } = pairBounds(thresholds)
  const rewardGap = rewardGapBounds(thresholds)
  const line = (measure: string, count: Count | null, codes: readonly string[]) =>
    compared(measure, shareOf(count), supported, contradicted, codes)
  const cut = compared(CUT_SHARES, cutGap, supported, contradicted)
  const ends = compared(ENDS_APART, found.endsApart, supported, contradicted)
  return [
    // Where no question had to be looked for by its sentences, all have the same words.
    ...(found.words?.affected ? line(WORDS_DIFFER, found.words, []) : []),
    ...line(TOOLS_DIFFER, found.tools, ['T07']),
    ...line(SYSTEM_DIFFERS, found.system, ['T09']),
    ...line(RENDERED_APART, found.rendering, []),
    ...line(OPENED_APART, found.opening, []),
    ...replyLines(found.replies, thresholds),
    // A difference that so few rollouts show by chance, or two models, decides nothing.
    ...cut.flatMap((each) =>
      each.speaksFor === 'supported' && !cutDiffers
        ? deciding(
            {
              supported: `${unlike ? 'two runs of one model' : 'more rollouts'} show the same difference in how many are cut`,
            },
            [{ ...each, speaksFor: null }],
          )
        : each,
    ),
    ...ends.flatMap((each) =>
      each.speaksFor === 'supported' && unlike
        ? deciding({ supported: 'two runs of one model end the same questions otherwise' }, [
            { ...each, speaksFor: null },
          ])
        : each,
    ),
    ...compared(
      `${LIKE_ANSWERS}${found.likeTexts === null ? '' : ` (${found.likeTexts.count})`}`,
      gap,
      rewardGap.supported,
      rewardGap.contradicted,
    ),
    ...meanRewardLines(found.meanRewards, meansApart, thresholds),
    ...stated('questions that both runs have', found.pairs),
    ...(found.toolsLost === 0 ? [] : stated(TOOLS_LOST, found.toolsLost, ['T07'])),
  ]
}

/** A template frames all replies alike; some tools of an environment may stand under a role of their own, which other rollouts call. */
function repliesBound(thresholds: Thresholds): Bound {
  return { comparison: '>=', threshold: thresholds['systematic-share'] }
}

function areRepliesApart(count: Count | null, thresholds: Thresholds): boolean {
  const share = shareOf(count)
  return (
    share !== null && (count?.checked ?? 0) >= thresholds['systematic-units'] && holds(share, repliesBound(thresholds))
  )
}

function replyLines(count: Count | null, thresholds: Thresholds): Argument[] {
  const lines = compared(REPLIES_APART, shareOf(count), repliesBound(thresholds), pairBounds(thresholds).contradicted)
  return areRepliesApart(count, thresholds)
    ? lines
    : lines.map((each) => (each.speaksFor === 'supported' ? { ...each, speaksFor: null } : each))
}

/** By how much the mean rewards of two runs of one model and one scorer differ by chance. */
function chanceOf({ standardError }: MeanRewards, thresholds: Thresholds): number {
  return thresholds['run-standard-errors'] * standardError + thresholds['same-reward']
}

function areApart(means: MeanRewards | null, thresholds: Thresholds): boolean {
  return means !== null && Math.abs(means.here - means.there) > chanceOf(means, thresholds)
}

function meanRewardLines(means: MeanRewards | null, meansApart: boolean, thresholds: Thresholds): Argument[] {
  if (means === null) return []
  const threshold = chanceOf(means, thresholds)
  const value = Math.abs(means.here - means.there)
  const name = `${MEANS_APART}${meansApart ? OF_MODEL_OR_SCORER : ''}`
  const measure = { measure: name, value, threshold, checks: [] }
  const line = { measure: { ...measure, comparison: value > threshold ? '>' : '<=' }, speaksFor: null } as const
  return [
    ...(meansApart
      ? deciding({ contradicted: 'answers in the same words are rewarded alike in both runs' }, [line])
      : [line]),
    ...stated('mean reward of these questions in the open run', means.here),
    ...stated('mean reward of these questions in the second run', means.there),
  ]
}
