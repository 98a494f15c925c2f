import { FactColumns } from '../checks/facts/fact-columns.ts'
import { untoldByNulls } from '../checks/mask/nulls-as-mask.ts'
import { namelessRollouts } from '../checks/oracles/nameless-turns.ts'
import { unprovedTurns } from '../checks/oracles/unproved-turns.ts'
import { checkByCode } from '../checks/registry.ts'
import { count } from '../model/number-text.ts'
import { type Bounds, unfitBound, untrainedBound, weightBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { isFrameFault, MASKING_CODES, type MaskingMeasures, measureMasking } from './masking.ts'
import {
  type Argument,
  compared,
  conclude,
  deciding,
  failingCheck,
  having,
  holds,
  type Judgement,
  leftOut,
  lesserFaults,
  notCheckable,
  notRun,
  restingOn,
  stated,
} from './verdict.ts'

/** Token masking errors: the loss covers tokens the model did not write, or misses those it did. */
export const H02: Hypothesis = {
  id: 'H02',
  title: 'Token masking errors',
  claim: 'In multi-turn tool conversations the loss covers the wrong tokens.',
  reads: [...MASKING_CODES, 'L02', 'S03', 'T16', 'T17'],
  sees: (input) => having(input, 'trained'),
  judge: (input) => conclude(H02, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  const missing = (['ids', 'mask'] as const).filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return notCheckable(missing)
  const found = measureMasking(input)
  const { unsampledShare: share, systematic, failing } = found
  if (share === null && found.looked.length === 0) return notCheckable(whatOraclesLack(input))
  const unlooked = notRun(input, [...MASKING_CODES, 'S03', 'T16'])

  const { thresholds } = input.dump.settings
  const [weight, untrained] = [weightBounds(thresholds), untrainedBound(thresholds)]
  // Which token a mask value belongs to is not settled: only what the ids themselves lack counts.
  const undecided = input.dump.settings.alignmentUndecided
  // Checks that do without turns (of padding, of rows that train nothing) say nothing of who wrote what, and neither does a list of none.
  const isLookedAt = found.looked.some(({ needs }) => needs.includes('tokenizer'))
  const proof = undecided ? systematic.filter(({ code }) => isFrameFault(code)) : systematic
  const heavy = !undecided && share !== null && holds(share, weight.supported)
  // A mask without a single 1 has no weight to share out: nothing shows where the loss would fall.
  const light = share !== null && holds(share, weight.contradicted)
  const supported = proof.length > 0 || heavy
  // The mask may leave out what the model wrote without any turn being left out whole: no fault has that name, but it is not right.
  const missed = input.dump.settings.policy.intended.includes('M03') ? null : input.untrainedShare
  const covers = missed === null || holds(missed, untrained)
  if (MASKING_CODES.every((code) => unlooked.includes(code)) && !supported) return notCheckable(leftOut(unlooked))
  const unjudged = unjudgedShares(input, isLookedAt)
  const isUnproved = unjudged.some(({ code }) => code === ENDS)
  // Rollouts of a model that always opens alike look as prompts with examples do.
  const mayBeExamples = input.dump.settings.policy.examples_in_prompt === true
  const contradicted =
    !undecided &&
    !mayBeExamples &&
    isLookedAt &&
    unlooked.length === 0 &&
    failing.length === 0 &&
    unjudged.every(({ value, bound }) => holds(value, bound)) &&
    light &&
    covers
  const decisive = failing.map(({ code }) => code)
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [
      ...faultLines(found),
      ...weightLine(share, undecided, weight),
      ...missedLine(missed, undecided, untrained),
      ...unjudged.map(unjudgedLine),
      ...lesserFaults(H02, input, isUnproved ? [...decisive, ENDS] : decisive),
    ],
    missing: [
      ...(undecided ? ['the alignment of the mask: declare whether index i marks token i or token i + 1'] : []),
      ...(mayBeExamples && !supported
        ? [
            'the length of the prompts: the untrained assistant turns that several rollouts begin with are taken for examples, and may be turns that the mask leaves out',
          ]
        : []),
      ...(supported || contradicted || !isUnproved ? [] : ['logprobs or flags of the end tokens']),
      ...(supported || input.totalWeight !== 0 ? [] : ['a token that is trained']),
      ...(share === null && input.totalWeight !== 0 ? whatOraclesLack(input) : []),
      ...(supported || isLookedAt || share === null || unlooked.length > 0 ? [] : [turnsLack(input)]),
      ...leftOut(unlooked),
    ],
    firm: supported || contradicted,
  }
}

function weightLine(share: number | null, undecided: boolean, bounds: Bounds): Argument[] {
  const name = 'share of the loss weight on tokens that the model did not write'
  return restingOn(
    'trained-unwritten-tokens',
    undecided
      ? stated(`${name}, as the mask is read for now`, share)
      : compared(name, share, bounds.supported, bounds.contradicted, ['M01', 'M08', 'M09', 'M11', 'M12', 'M14']),
  )
}

function missedLine(share: number | null, undecided: boolean, bound: ReturnType<typeof untrainedBound>): Argument[] {
  const name = 'share of the tokens the model wrote that carry no loss, in rollouts that train something'
  if (share === null) return []
  const resting = (lines: readonly Argument[]) => restingOn('masked-written-tokens', lines)
  if (undecided) return resting(stated(`${name}, as the mask is read for now`, share))
  const covers = holds(share, bound)
  const { threshold } = bound
  const measure = { measure: name, value: share, threshold, comparison: covers ? '<' : '>=', checks: ['M03'] } as const
  const decides = { supported: null, contradicted: bound }
  return resting([
    { measure: { ...measure, checks: [...measure.checks] }, speaksFor: covers ? 'contradicted' : null, decides },
  ])
}

/** Of the rollouts that S03 looked at: one whose advantage is merely no number has the mask that it should. Null where every rollout's arrays fit. */
function unfitShare(input: HypothesisInput): number | null {
  const shapes = failingCheck(input, 'S03')
  const unfit = new FactColumns(input.dump.facts)
    .holds('unfit', (isUnfit) => isUnfit === true)
    .reduce((sum, is) => sum + is, 0)
  if (shapes === null || unfit === 0) return null
  return shapes.checked === 0 ? 1 : unfit / shapes.checked
}

/** Of rollouts of which nobody can tell whether their masked turns are left out. Null where there is none. */
function maskedUnproved({ checks, dump }: HypothesisInput): number | null {
  const turns = checks.find(({ code }) => code === 'M03') ?? { checked: 0, intended: 0 }
  const unproved = unprovedTurns(turns, dump)
  // Those of which nulls alone tell are counted with the ends and first tokens of which that holds.
  return unproved === null || unproved.kind === 'nulls' ? null : unproved.rollouts / unproved.of
}

/** Of rollouts of which only nulls that may be made of the mask tell who wrote what it leaves out. Null where there is none. */
function nullsUnproved({ dump }: HypothesisInput): number | null {
  if (dump.settings.policy.id === 'last-turn') return null
  const untold = untoldByNulls(dump.facts)
  return untold === null ? null : untold.rollouts / untold.of
}

/** Of ends of trained turns; null where none is masked, or where they are known to be the model's: a fault, or a note where they were left out on purpose. */
function endsUnproved(input: HypothesisInput): number | null {
  const ends = failingCheck(input, ENDS)
  return ends === null || ends.severity !== 'warning' || ends.places.checked === 0
    ? null
    : ends.places.affected / ends.places.checked
}

/** Of rollouts with markers in letters or without any, which the model is not known to have written so. Null where there is none. */
function unmarkedShare(input: HypothesisInput): number | null {
  const markers = failingCheck(input, 'T16')
  return markers === null || markers.severity === 'info' || markers.checked === 0
    ? null
    : markers.affected / markers.checked
}

/** Of all rollouts. Null where the role of every turn is known, and where the dump says of each token who wrote it. */
function namelessShare({ dump }: HypothesisInput): number | null {
  if (dump.streams.has('sampled')) return null
  const nameless = namelessRollouts(dump.facts)
  return nameless === 0 ? null : nameless / dump.facts.length
}

/** Of all rollouts, where these may be in all of them. Null where that is not so. */
function endlessShare({ checks, dump }: HypothesisInput): number | null {
  if (checks.find(({ code }) => code === 'T16')?.status !== 'not-checkable') return null
  const without = new FactColumns(dump.facts).holds('noEnds', (is) => is === true).reduce((sum, is) => sum + is, 0)
  return without === 0 ? null : without / dump.facts.length
}

/**
 * Of the rollouts that T17 looked at, those it names, in a dump where the tokenizer finds no turns; where it finds some, as many of them as have none. Null where
 * there is none.
 */
function foreignShare(input: HypothesisInput, isLookedAt: boolean): number | null {
  const vocabulary = failingCheck(input, 'T17')
  if (vocabulary === null || vocabulary.checked === 0) return null
  const isOfAll = input.lackOfTurns != null || !isLookedAt
  const turnless = isOfAll ? vocabulary.affected : withoutTurns(input)
  return turnless === 0 ? null : Math.min(turnless, vocabulary.affected) / vocabulary.checked
}

/** Rollouts in whose ids no edge of a turn was found; their messages may have turns. */
function withoutTurns({ dump }: HypothesisInput): number {
  const columns = new FactColumns(dump.facts)
  return columns.isEmpty('edges') ? 0 : columns.present('edges').reduce((sum, has) => sum + (has === 0 ? 1 : 0), 0)
}

/**
 * Of first turns that the trainer finds less likely than the sampler did, where nearly all rollouts have such a gap and no attention mask shows what the trainer
 * attended to: it may be the loss mask (M15), which hides the prompt from the first turn on. Null where the gap is not throughout, or M15 could look.
 */
function otherContextShare(input: HypothesisInput): number | null {
  const gap = failingCheck(input, 'L02')
  const attention = input.checks.find(({ code }) => code === 'M15')?.status
  if (gap === null || gap.pattern !== 'systematic' || attention === 'pass' || attention === 'fail') return null
  return (gap.by_turn[1] ?? 0) / (gap.by_turn_checked[1] || gap.checked)
}

const ENDS = 'M10'

interface Unjudged {
  readonly what: string
  readonly value: number
  readonly code: string
  readonly bound: ReturnType<typeof unfitBound>
}

/**
 * What cannot be judged, as far as there is any.
 *
 * @param isLookedAt some check that takes turns had turns to look at
 */
function unjudgedShares(input: HypothesisInput, isLookedAt: boolean): Unjudged[] {
  const { thresholds } = input.dump.settings
  const bound = unfitBound(thresholds)
  const shares = [
    // A mask that was built from other ids says nothing of these: a rollout that has one is not known to be masked right.
    {
      what: 'share of rollouts whose arrays do not fit together, so that what they train is not known',
      value: unfitShare(input),
      code: 'S03',
      bound,
    },
    // By another vocabulary no end of a turn and no header can be looked for: that none fails says nothing.
    {
      what: 'share of rollouts whose ids are not of the tokenizer, so that their turns are not known',
      value: foreignShare(input, isLookedAt),
      code: 'T17',
      bound,
    },
    // What stands in no turn of its own is taken for what the turn around it is.
    {
      what: 'share of rollouts whose markers are letters or gone, so that their turns are not known',
      value: unmarkedShare(input),
      code: 'T16',
      bound,
    },
    // They are replies, or words of the model: neither loss on them nor the lack of it is a fault that has a name.
    {
      what: 'share of rollouts with turns of no role that is known, so that it is not known who wrote them',
      value: namelessShare(input),
      code: 'M01',
      bound,
    },
    // The model is not taught to stop, unless a string stops it.
    {
      what: 'share of rollouts in which no turn of the model has an end token, and of which nothing tells whether it was removed',
      value: endlessShare(input),
      code: 'T16',
      bound,
    },
    {
      what: 'share of rollouts with turns of the model that they mask for a reason that the dump does not show: a branch that is not in it, the default of its trainer, or turns left out',
      value: maskedUnproved(input),
      code: 'M03',
      bound: untrainedBound(thresholds),
    },
    {
      what: 'share of rollouts that leave out ends, beginnings or whole turns of the assistant, of which only logprobs that are missing exactly where the mask is 0 say who wrote them',
      value: nullsUnproved(input),
      code: 'M03',
      bound: untrainedBound(thresholds),
    },
    // The mask may be right, and be used as that of attention too.
    {
      what: 'share of first turns that the trainer finds less likely than the sampler did, where no attention mask tells whether the loss mask stood for it',
      value: otherContextShare(input),
      code: 'L02',
      bound,
    },
    // The model is not taught to stop, unless the framework appended all of these.
    {
      what: 'share of trained turns whose end token carries no loss, and of which nothing tells whether the model wrote it',
      value: endsUnproved(input),
      code: ENDS,
      bound,
    },
  ]
  return shares.flatMap(({ value, ...share }) => (value === null ? [] : [{ ...share, value }]))
}

/** It supports nothing, and from the bound on nothing is contradicted. */
function unjudgedLine({ what, value, code, bound }: Unjudged): Argument {
  const measure = {
    measure: `${what} (${code})`,
    value,
    threshold: bound.threshold,
    comparison: holds(value, bound) ? '<' : '>=',
    checks: [code],
  } as const
  const decides = { supported: null, contradicted: bound }
  return { measure: { ...measure, checks: [...measure.checks] }, speaksFor: null, decides }
}

function faultLines({ failing, systematic, looked }: MaskingMeasures): Argument[] {
  const none = { comparison: '=', threshold: 0 } as const
  const some = { comparison: '>', threshold: 0 } as const
  if (looked.length === 0) return []
  if (failing.length === 0) {
    const codes = looked.map(({ code }) => code)
    const lines = compared('mask and frame checks that fail at error level', 0, some, none, codes)
    return deciding({ supported: 'a mask or frame check fails at error level, in nearly all of its places' }, lines)
  }
  return failing.flatMap((check) => {
    const everywhere = systematic.includes(check)
    const { affected, checked } = check.places
    const what = `${check.title} (${check.code})`
    // How many it is of, and of what where that is one kind of place, makes its number readable by itself.
    const places = checkByCode(check.code)?.looksAt ?? ''
    const looked = `of ${count(checked)} looked at${places === '' || places.includes(',') ? '' : ` (${places})`}`
    const name = everywhere
      ? `places with a systematic fault, ${looked}: ${what}`
      : `places with a sporadic fault, ${looked}, which alone does not support this: ${what}`
    const lines = compared(name, affected, some, none, [check.code])
    const now = `${count(affected)} of ${count(checked)}`
    const contradicted = `no place has the fault (now ${now}): ${what}`
    if (everywhere) return deciding({ contradicted }, lines)
    const supported = `nearly all places have the fault (now ${now}): ${what}`
    return deciding({ supported, contradicted }, lines).map((line) => ({ ...line, speaksFor: null }))
  })
}

function whatOraclesLack(input: HypothesisInput): string[] {
  return input.streams.has('tokenizer') ? ['turns in the ids, or a record of what was sampled'] : [turnsLack(input)]
}

function turnsLack(input: HypothesisInput): string {
  return input.lackOfTurns ?? (input.streams.has('tokenizer') ? 'turns in the ids' : 'tokenizer')
}
