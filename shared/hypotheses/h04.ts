import type { EndReason } from '../checks/facts/facts.ts'
import type { MeanReward } from '../checks/truncation/reward-splits.ts'
import { counted, valuesText } from '../model/number-text.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { type Bounds, lostBounds, nearLimitBounds, visibleBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { measureTruncation, measuringTruncation, type TruncationMeasures } from './truncation.ts'
import {
  type Argument,
  behind,
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
  shareOf,
  stated,
} from './verdict.ts'
import { boundText } from './would-change.ts'

/** Context truncation: limits cut away what the answer needs, or the answer. */
export const H04: Hypothesis = {
  id: 'H04',
  title: 'Context truncation',
  claim:
    'Length limits cut supporting passages or answers, so the same behaviour is rewarded one time and not the next.',
  sees: (input) => having(input, 'idsHash'),
  judge: (input) => conclude(H04, input, decide(input)),
  measure: measuringTruncation,
}

function decide(input: HypothesisInput): Judgement {
  if (!input.streams.has('ids')) return notCheckable(['ids'])
  const found = measureTruncation(input)
  const near = shareOf(found.nearAny)
  const { limits, limitsByRollout } = input.dump
  const { thresholds } = input.dump.settings
  const ofReplies =
    limits.max_tool_response_length ?? limitsByRollout?.max_tool_response_length ?? found.piledReplies ?? null
  const lost = shareOf(found.lost)
  const cutPrompts = failingCheck(input, 'C02')?.rate ?? null
  const unlooked = notRun(input, ['C02', 'C08'])
  const isMuch = (share: number | null) => share !== null && holds(share, lostBounds(thresholds).supported)
  const surelyLost = found.lost === null ? null : found.surelyLost / found.lost.checked
  // Text that is known to be lost needs no limit that is known.
  if (near === null && ofReplies === null && !isMuch(surelyLost) && !isMuch(cutPrompts)) {
    const none =
      'limits (none is given, in the metadata, or shown by rollouts that end at one length which no other exceeds)'
    return notCheckable([found.limitsOfSteps ?? none, ...leftOut(unlooked)])
  }
  const nearBounds = nearLimitBounds(thresholds)
  const piled = shareOf(found.piledReplies)
  const visible = shareOf(found.documentsVisible)
  // What was never retrieved is no truncation.
  const visibleAtMost =
    visible === null ? null : (visible * checkedOf(found) + found.perhapsNotBrought) / checkedOf(found)
  const isHidden = visible !== null && holds(visible, visibleBounds(thresholds).supported)
  const isSurelyHidden = visibleAtMost !== null && holds(visibleAtMost, visibleBounds(thresholds).supported)
  const supported =
    (near !== null && holds(near, nearBounds.supported)) ||
    isMuch(lost) ||
    isMuch(cutPrompts) ||
    isMuch(piled) ||
    isSurelyHidden
  // Without documents there are none to lose; without ends that tell, "nothing lost" is not known.
  const contradicted =
    !supported &&
    !isHidden &&
    near !== null &&
    holds(near, nearBounds.contradicted) &&
    lost !== null &&
    holds(lost, lostBounds(thresholds).contradicted) &&
    found.perhapsLost === 0 &&
    found.withoutSystem === 0 &&
    cutPrompts === null &&
    unlooked.length === 0 &&
    failingCheck(input, 'C08') === null
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [
      ...argumentsOf(found, { near, lost, cutPrompts, piled, visible, visibleAtMost }, thresholds),
      ...lesserFaults(H04, input, [...(piled === null ? [] : ['C08']), ...(cutPrompts === null ? [] : ['C02'])]),
    ],
    missing: [
      ...(near === null ? [found.limitsOfSteps ?? 'limits of the prompt, the completion or the sequence'] : []),
      ...(lost === null ? [lackOfTurns(input)] : []),
      ...(supported || found.perhapsLost === 0 ? [] : [lackOfEnds(found.perhapsLost)]),
      ...(supported || found.withoutSystem === 0 ? [] : [lackOfSystem(found.withoutSystem)]),
      ...(isHidden && !isSurelyHidden ? [RETRIEVED] : []),
      ...(supported ? [] : leftOut(unlooked)),
      ...(visible === null ? lackOfDocuments(input, lost !== null) : []),
    ],
    // All three measures could have ruled either way.
    firm: true,
  }
}

const RETRIEVED = 'messages, which tell whether the documents that are not in the ids were ever retrieved'

function checkedOf({ documentsVisible }: TruncationMeasures): number {
  return documentsVisible?.checked ?? 0
}

function lackOfEnds(rollouts: number): string {
  return `how ${counted(rollouts, 'rollout')} ended: ${rollouts === 1 ? 'it is' : 'they are'} said to have stopped, and the end token that nearly all others have is not there (C05)`
}

function lackOfSystem(rollouts: number): string {
  return `whether the system message of ${counted(rollouts, 'rollout')} was cut away: their messages have it, and the ids do not (T09)`
}

function lackOfTurns(input: HypothesisInput): string {
  return input.streams.has('tokenizer') ? 'turns in the ids' : (input.lackOfTurns ?? 'tokenizer')
}

/** @param hasTurns where none is found, that is what documents are not looked for in */
function lackOfDocuments({ streams, dump }: HypothesisInput, hasTurns: boolean): string[] {
  if (!streams.has('documents')) return ['documents']
  if (dump.facts.some(({ supportingDocuments }) => supportingDocuments !== null))
    return ['documents among the replies: no reply brings one that is marked as supporting']
  return hasTurns ? ['documents that are marked as supporting and have a text: those of this dump are not'] : []
}

interface Shares {
  readonly near: number | null
  readonly lost: number | null
  /** Rollouts whose prompt lacks its end or its middle, which no length and no end of a rollout tells; null where C02 finds none. */
  readonly cutPrompts: number | null
  readonly piled: number | null
  readonly visible: number | null
  /** Where all documents were visible that may never have been retrieved. */
  readonly visibleAtMost: number | null
}

function argumentsOf(
  found: TruncationMeasures,
  { near, lost, cutPrompts, piled, visible, visibleAtMost }: Shares,
  thresholds: Thresholds,
): Argument[] {
  const nearBounds = nearLimitBounds(thresholds)
  const lostBound = lostBounds(thresholds)
  const limits = found.nearLimit.map((near) => `${near.limit} ${oneOf(near)}`).join(', ')
  const nearLines = compared(
    `share of rollouts within ${found.nearTokens} tokens of a limit (${limits})`,
    near,
    nearBounds.supported,
    nearBounds.contradicted,
  )
  // Where nothing tells whether text was lost, lengths alone rule nothing out.
  const clear = `the share of rollouts near a limit is ${boundText('share', nearBounds.contradicted)}, and it is known that none lost text`
  const nearLine = lost === null ? deciding({ contradicted: clear }, nearLines) : nearLines
  return [
    ...behind(found.nearFilter, nearLine),
    ...behind(
      { lostText: true },
      compared('share of rollouts that lost text', lost, lostBound.supported, lostBound.contradicted, [
        'C01',
        'C03',
        'C07',
        'C08',
        'C12',
      ]),
    ),
    ...compared(
      'share of rollouts whose prompt is cut on the right or in the middle',
      cutPrompts,
      lostBound.supported,
      lostBound.contradicted,
      ['C02'],
    ),
    ...compared(
      'share of rollouts with a tool reply that breaks off at one length, as others do',
      piled,
      lostBound.supported,
      lostBound.contradicted,
      ['C08'],
    ),
    ...behind({ documentsHidden: true }, visibleLines(found, visible, visibleAtMost, visibleBounds(thresholds))),
    ...restingOn('lengths', stated('mean length in tokens', found.meanLength)),
    ...longestLine(found),
    ...documentLines(found),
    ...visibilityLines(found),
    ...found.rewardByEnd.flatMap(({ end, rollouts, mean }) =>
      behind(
        { end },
        stated(
          `mean reward of the ${counted(rollouts, 'rollout')} ${ENDS[end]}`,
          mean,
          end === 'stop' ? [] : ['C03', 'C06'],
        ),
      ),
    ),
    ...poisonLines(found),
    ...restingOn('lengths-and-rewards', stated('correlation of length and reward', found.lengthRewardCorrelation)),
  ]
}

/** That documents are hidden decides only as far as they were retrieved, or something was cut. */
function visibleLines(
  found: TruncationMeasures,
  visible: number | null,
  visibleAtMost: number | null,
  { supported, contradicted }: Bounds,
): Argument[] {
  const name = `share of rollouts whose supporting documents are visible at the answer${takenOf(found)}`
  const lines = compared(name, visible, supported, contradicted)
  if (visibleAtMost === null || holds(visibleAtMost, supported)) return lines
  const brought = `documents that are not visible are known to have been retrieved, and the ${name} is ${boundText(name, supported)}`
  return deciding({ supported: brought }, lines).map((line) =>
    line.speaksFor === 'supported' ? { ...line, speaksFor: null } : line,
  )
}

/** Which documents of a rollout are asked for. */
function takenOf({ documentsVisible, retrievalKnown }: TruncationMeasures): string {
  if (documentsVisible === null || retrievalKnown === documentsVisible.checked) return ', of those that were retrieved'
  const all = 'of all, for nothing tells which were retrieved'
  return retrievalKnown === 0 ? `, ${all}` : `, of those that were retrieved; in rollouts without messages ${all}`
}

function longestLine({ longest }: TruncationMeasures): Argument[] {
  const line = stated('longest rollout in tokens', longest)
  return longest === null ? line : behind({ lengths: [{ of: 'sequence', atLeast: longest }] }, line)
}

/** `4096`, `2048 or 4096, by rollout`, `20 values from 200 to 219, by rollout`. */
function oneOf({ values, leftOut }: TruncationMeasures['nearLimit'][number]): string {
  return values.length === 1 ? String(values[0]) : `${valuesText(values.map(String), leftOut)}, by rollout`
}

/** What a rollout did, by its end reason. */
const ENDS: Readonly<Record<EndReason, string>> = {
  stop: 'that end properly',
  'cut-prose': 'cut in prose',
  'cut-call': 'cut in a tool call',
  'cut-reply': 'cut in or before a tool reply',
  'prompt-only': 'that hold a prompt alone',
  unknown: 'whose end is not known',
}

/** What is never retrieved is lost to the answer as well, and no limit took it: the rates tell the one from the other. */
function documentLines({ documents }: TruncationMeasures): Argument[] {
  if (documents === null) return []
  const { rollouts, available, retrieved, visible } = documents
  return restingOn('supporting-documents', [
    ...stated(`supporting documents available in the records of ${counted(rollouts, 'rollout')}`, available),
    ...stated('share of the supporting documents that were retrieved', shareOf(retrieved)),
    ...stated('share of the supporting documents that are visible at the answer', visible / available),
  ])
}

function visibilityLines({ rewardByVisibility }: TruncationMeasures): Argument[] {
  if (rewardByVisibility === null) return []
  const { visible, hidden } = rewardByVisibility
  const line = (which: string, { rollouts, mean }: MeanReward) =>
    stated(`mean reward of the ${counted(rollouts, 'rollout')} ${which} at the answer`, mean, ['C09'])
  return [
    ...restingOn('visible-documents', line('whose supporting documents are all visible', visible)),
    ...behind({ documentsHidden: true }, line('with a supporting document that is not visible', hidden)),
  ]
}

/** Masked rows that count in a group's mean shift the advantage of every row that trains: each cut costs its group as well. */
function poisonLines({ poison }: TruncationMeasures): Argument[] {
  if (poison === null) return []
  const { groups, rollouts, meanShift } = poison
  const where = counted(groups, 'group')
  return [
    ...stated(`masked rollouts that count in the mean reward of ${where}`, rollouts, ['C04']),
    ...stated(`mean shift of the baseline of ${where} by masked rollouts`, meanShift, ['C04']),
  ]
}
