import type { Span, Turn } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { segment } from '../tokens/segment.ts'
import { decodeSpan } from '../tokens/text.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import type { AuditSettings, TrajectoryView } from './check.ts'
import { createFacts, type PreparedTokens } from './facts/create-facts.ts'
import { isLaterCall } from './grouping/branch-ends.ts'
import { systemAgainFact } from './layout/packing.ts'
import { isMaskUnfit, unfitFacts } from './layout/unfit-arrays.ts'
import { streamsWithoutNumbers } from './logprobs/no-numbers.ts'
import { versionFact } from './logprobs/policy-version.ts'
import { logprobFacts } from './logprobs/sums.ts'
import { untrainedEnd } from './mask/all-zero.ts'
import { appendedEndFact, deniedEndFact } from './mask/appended-by.ts'
import { earlierCreditFact } from './mask/earlier-credit.ts'
import { padEndFacts } from './mask/ends-of-pad.ts'
import { ratioFacts } from './mask/left-out-ratios.ts'
import { nullFacts } from './mask/nulls-as-mask.ts'
import { ratioHoleFact } from './mask/ratio-holes.ts'
import { runsThroughFact } from './mask/runs-through.ts'
import { endFacts } from './mask/silent-ends.ts'
import { zeroEndFacts } from './mask/zero-ends.ts'
import { appendedBelow } from './oracles/appended-ends.ts'
import { exampleTurnsFact } from './oracles/example-turns.ts'
import { namelessFact } from './oracles/nameless-turns.ts'
import { openThinkLength } from './oracles/open-think.ts'
import { isOwnBlock, writesItsBlocks } from './oracles/own-blocks.ts'
import { isPadBehindCut, isShownPad } from './oracles/padded-ends.ts'
import { paddingOf } from './oracles/padding.ts'
import { answerInsidePrompt, storedPromptEnd } from './oracles/prompt-end.ts'
import { provenanceOracle } from './oracles/provenance-oracle.ts'
import { effectiveMask, effectiveWeights, tokenStates } from './oracles/states.ts'
import { type StructureOracleInput, structureOracle } from './oracles/structure-oracle.ts'
import { wroteOn } from './oracles/wrote-on.ts'
import { endOfExamples } from './reporting/examples.ts'
import { driftOf } from './template/drift.ts'
import { emptyToolsFacts } from './template/empty-tools.ts'
import { toolFacts } from './template/prompt-tools.ts'
import { openTurnFacts } from './template/removed-markers.ts'
import { rendersOtherwise } from './template/renders-otherwise.ts'
import { strayCallFacts } from './template/stray-call.ts'
import { systemFacts } from './template/system-prompt.ts'
import { namedToolFacts } from './template/tools-in-words.ts'
import { unreadCallsFact } from './template/unread-calls.ts'
import { beyondMessagesFact } from './texts/beyond-messages.ts'
import { isPromptCut } from './truncation/prompt-faults.ts'

export { createFacts } from './facts/create-facts.ts'

export interface ViewOptions {
  /** Null where none fits the dump: tokens have states, but there are no turns. */
  readonly tokenizer: Tokenizer | null
  readonly settings: AuditSettings
  /** From the format: what sampler logprobs hold on tokens that were not sampled. */
  readonly unsampledLogprob: number | 'nan' | null
  /** From the format: exactly the sampled tokens are trained, so they stand for a mask that is not there. */
  readonly maskImplied?: boolean
  /** How masks are aligned is still to be decided: one that is one shorter than its ids may mark predictions, and fits. */
  readonly mayMarkTargets?: boolean
  /** Encode some of the sampled text again, which takes an encoder (T02). */
  readonly measuresDrift?: boolean
}

/** Prepares a trajectory for the checks; null where it has no ids. */
export function createView(trajectory: Trajectory, options: ViewOptions): TrajectoryView | null {
  const view = prepareView(trajectory, options)
  return view === null ? null : withFacts(view, options)
}

/** What the ids of a trajectory come to before anything is said of them: its turns, the states of its tokens, the oracles. */
export type PreparedView = Omit<TrajectoryView, 'facts'> & Pick<PreparedTokens, 'padding'>

/** Null where the trajectory has no ids. */
export function prepareView(trajectory: Trajectory, options: ViewOptions): PreparedView | null {
  const { ids } = trajectory
  if (ids === null) return null
  const { tokenizer, settings } = options
  const framed = tokenizer?.frame ? tokenizer : null
  // Of a mask of another length nobody knows which token an element belongs to (S03): nothing that is read of it is a fault of its own.
  const isUnfit = isMaskUnfit(trajectory, options.mayMarkTargets ? 'target' : settings.alignment)
  const mask = isUnfit ? null : effectiveMask(trajectory, settings.alignment, options.maskImplied ?? false)
  const padded = { trajectory, ids, mask, byOthers: settings.padsBehindCuts === true }
  const segmentation =
    framed === null
      ? null
      : segment(ids, framed, trajectory.padding, (at) => isPadBehindCut(padded, at), trajectory.sampled ?? mask)
  const padding = paddingOf({ segmentation, trajectory })
  const provenance =
    provenanceOracle(trajectory, segmentation, options.unsampledLogprob, mask) ??
    wroteOn(ids, mask, segmentation, framed?.frame ?? null)
  const writesBlocks =
    settings.writesBlocks === true ||
    (segmentation !== null &&
      framed !== null &&
      writesItsBlocks(trajectory, segmentation, { provenance, mask }, framed.table))
  const { expected, expectedRl } = oracles(
    trajectory,
    { segmentation, provenance, mask, writesBlocks },
    (at) => isShownPad(padded, at),
    framed,
    settings,
  )
  return {
    trajectory,
    ids,
    mask,
    maskAlignment: settings.alignment,
    weights: isUnfit ? null : effectiveWeights(trajectory, settings.alignment),
    states: tokenStates(ids.length, mask, padding),
    padding,
    segmentation,
    expected,
    expectedRl,
    provenance,
    writesBlocks,
    tagsBeside: settings.thinkTags ?? null,
    shiftBeside: settings.maskShift ?? 0,
    tokenizer,
    thresholds: settings.thresholds,
    text: tokenizer === null ? () => '' : rememberedText(tokenizer, ids),
  }
}

/** A prepared view with the facts that are kept of it. */
export function withFacts(prepared: PreparedView, { measuresDrift, unsampledLogprob }: ViewOptions): TrajectoryView {
  const { trajectory, ids, mask, weights, states, padding, segmentation, provenance } = prepared
  const { tokenizer, thresholds, text } = prepared
  const framed = tokenizer?.frame ? tokenizer : null
  const tokens = { ids, mask, provenance, weights, states, padding, segmentation, tokenizer: framed, thresholds, text }
  const facts = createFacts(trajectory, tokens)
  const { maskAlignment, expected, expectedRl, writesBlocks, tagsBeside, shiftBeside } = prepared
  const view: TrajectoryView = {
    trajectory,
    ids,
    mask,
    maskAlignment,
    weights,
    states,
    segmentation,
    expected,
    expectedRl,
    provenance,
    writesBlocks,
    tagsBeside,
    shiftBeside,
    tokenizer,
    facts,
    thresholds,
    text,
  }
  Object.assign(
    facts,
    logprobFacts(view),
    versionFact(view),
    streamsWithoutNumbers(view),
    unfitFacts(trajectory, maskAlignment, thresholds),
    systemAgainFact(view),
    runsThroughFact(view),
    exampleTurnsFact(view),
    namelessFact(view),
  )
  const untrained = untrainedEnd(view)
  if (untrained !== undefined) Object.assign(facts, { untrainedEnd: untrained })
  Object.assign(facts, endFacts(view), zeroEndFacts(view), padEndFacts(view), deniedEndFact(view))
  Object.assign(facts, nullFacts(view, unsampledLogprob), appendedEndFact(view), earlierCreditFact(view))
  // What holes there are is asked of the ratios.
  Object.assign(facts, ratioFacts(view))
  Object.assign(facts, ratioHoleFact(view))
  const drift = measuresDrift ? driftOf(view) : null
  if (drift !== null) Object.assign(facts, { drift })
  return view
}

/** Adds to the facts of a view what defects are told apart by, and rollouts compared: nobody who looks at one asks for it. */
export function addSymptoms(view: TrajectoryView): void {
  if (rendersOtherwise(view)) Object.assign(view.facts, { rendersOtherwise: true })
  Object.assign(view.facts, toolFacts(view), strayCallFacts(view), emptyToolsFacts(view), systemFacts(view))
  Object.assign(view.facts, namedToolFacts(view), openTurnFacts(view), beyondMessagesFact(view), unreadCallsFact(view))
  if (isPromptCut(view)) Object.assign(view.facts, { promptOpen: true })
}

/** Several checks read the same turns, so each text is decoded once. */
function rememberedText({ table }: Tokenizer, ids: Int32Array): (span: Span) => string {
  const texts = new Map<number, string>()
  return ({ start, end }) => {
    const key = start * (ids.length + 1) + end
    let text = texts.get(key)
    if (text === undefined) texts.set(key, (text = decodeSpan(table, ids, start, end)))
    return text
  }
}

function oracles(
  trajectory: Trajectory,
  {
    segmentation,
    provenance,
    mask,
    writesBlocks,
  }: Pick<PreparedView, 'segmentation' | 'provenance' | 'mask' | 'writesBlocks'>,
  isPad: (at: number) => boolean,
  tokenizer: Tokenizer | null,
  settings: AuditSettings,
): { expected: Uint8Array | null; expectedRl: Uint8Array | null } {
  // Without a single turn there is no structure that could say what was sampled.
  if (segmentation === null || segmentation.turns.length === 0 || tokenizer === null) {
    return { expected: null, expectedRl: null }
  }
  const ids = trajectory.ids as Int32Array
  const answered = answerInsidePrompt(trajectory, mask, segmentation)
  const { id, origin } = settings.policy
  const { table } = tokenizer
  const appended = appendedBelow(trajectory, mask, segmentation, settings.thresholds)
  const blocks = { trajectory, segmentation, provenance, writesBlocks, thresholds: settings.thresholds, table }
  const ofRl: StructureOracleInput = {
    policy: 'rl',
    isDeclared: origin === 'given',
    segmentation,
    provenance,
    promptEnd:
      answered?.at ??
      storedPromptEnd(trajectory, segmentation, segmentation.padding) ??
      (settings.policy.examples_in_prompt || (provenance === null && isLaterCall(trajectory))
        ? endOfExamples({ segmentation, provenance, mask })
        : null),
    answered,
    isBlank: (at: number) => /^\s+$/.test(decodeSpan(tokenizer.table, ids, at, at + 1)),
    stopsOnString: /stop_(string|sequence)/.test(trajectory.finishReason ?? ''),
    endMayBePadding: ({ endToken }: Turn) =>
      endToken === ids.length - 1 && (tokenizer.frame?.pad.includes(ids[endToken] as number) || isPad(endToken)),
    isAppendedEnd: ({ endToken }: Turn) =>
      appended !== null && mask?.[endToken] === 0 && (trajectory.logprobs.trainer?.[endToken] ?? 0) < appended,
    openThink: (turn: Turn) => openThinkLength(turn, ids, tokenizer),
    isOwnBlock: (turn: Turn) => isOwnBlock(blocks, turn),
  }
  const expectedRl = structureOracle(ofRl)
  const expected = id === 'rl' ? expectedRl : structureOracle({ ...ofRl, policy: id })
  return { expected, expectedRl }
}
