import type { AuditSettings, TrajectoryView } from '../../checks/check.ts'
import { ownReplies } from '../../checks/mask/own-replies.ts'
import { trainedPrefill, untoldBlocks } from '../../checks/mask/prefill-trained.ts'
import { sampledPad } from '../../checks/oracles/padding.ts'
import { isAsExpected } from '../../checks/oracles/shape.ts'
import { joined } from '../../checks/oracles/spans.ts'
import { lossWeight } from '../../checks/reporting/tally.ts'
import { Expected, PART, Provenance, type Span } from '../../model/tokens.ts'
import { weightUnits } from '../../model/weight.ts'
import type { TokenTotals } from './plan.ts'

/** What the checks told of the tokens of a trajectory. */
export interface Told {
  /** Trained, or not, because the run means it: what the oracles say of them counts for nothing. */
  readonly meant: readonly Span[]
  /** Trained, and not the model's, whatever the oracles say. */
  readonly unwritten: readonly Span[]
}

const NOTHING_TOLD: Told = { meant: [], unwritten: [] }

/**
 * Adds the loss weight of a trajectory, how much of it lies on tokens that neither oracle calls sampled, and the sampled tokens that it leaves out.
 *
 * @param told null where no check looked at it
 */
export function weigh(
  view: TrajectoryView,
  mask: Uint8Array,
  settings: AuditSettings,
  told: Told | null,
  totals: TokenTotals,
): void {
  const { expected, provenance } = view
  const { total, unsampled, sampled, untrained } = weightSums(view, mask, settings, told ?? NOTHING_TOLD)
  totals.weight += weightUnits(total)
  // A row that trains nothing at all is one fact of its own (M04, overlong masking).
  if (total > 0) {
    totals.sampled += sampled
    totals.untrained += untrained
  }
  if (expected !== null || provenance !== null)
    totals.weightUnsampled = (totals.weightUnsampled ?? 0n) + weightUnits(unsampled)
}

function weightSums(view: TrajectoryView, mask: Uint8Array, settings: AuditSettings, { meant, unwritten }: Told) {
  const { weights, expected, expectedRl, provenance, segmentation, facts } = view
  // The usual case: what the oracle calls sampled is trained, and nothing else.
  if (isAsExpected(view)) {
    let named = 0
    for (const span of joined(unwritten)) named += lossWeight(view, span)
    return { total: facts.weight ?? 0, unsampled: named, sampled: facts.trained ?? 0, untrained: 0 }
  }
  const observationsIntended = settings.policy.intended.includes('M01')
  const parts = segmentation?.parts ?? null
  const own = [...meant, ...ownReplies(view), ...untoldBlocks(view)]
  const isMeant = marked(own, mask.length)
  const isNamed = marked(unwritten, mask.length)
  const isOpen = openTokens(view, mask, settings)
  const ownEnd = sampledPad(view)
  let total = 0
  let unsampled = 0
  let sampled = 0
  let untrained = 0
  for (let token = 0; token < mask.length; token++) {
    const wrote = provenance === null ? Provenance.silent : (provenance[token] as Provenance)
    // Where no turns are known, what the dump itself says was sampled is what a right mask trains.
    if (expected === null ? wrote === Provenance.sampled : expected[token] === Expected.trained) {
      sampled++
      if (mask[token] === 0 && isMeant?.[token] !== 1) untrained++
    }
    if (mask[token] !== 1) continue
    const weight = weights === null ? 1 : (weights[token] as number)
    total += weight
    if (isNamed?.[token] === 1) {
      unsampled += weight
      continue
    }
    if (wrote === Provenance.sampled) continue
    const isMasked = expected === null ? wrote === Provenance.notSampled : expected[token] === Expected.masked
    if (!isMasked && !(wrote === Provenance.notSampled && isOpen?.[token] === 1)) continue
    // A turn that only the policy leaves out is the model's all the same (M03).
    if (isMasked && expectedRl !== null && expectedRl[token] !== Expected.masked) continue
    if (observationsIntended && parts !== null && parts[token] === PART.tool) continue
    if (isMeant?.[token] === 1 || token === ownEnd) continue
    unsampled += weight
  }
  return { total, unsampled, sampled, untrained }
}

/** 1 for each token of these spans; null where there are none. */
function marked(spans: readonly Span[], length: number): Uint8Array | null {
  if (spans.length === 0) return null
  const isMarked = new Uint8Array(length)
  for (const { start, end } of spans) isMarked.fill(1, start, end)
  return isMarked
}

/**
 * Where the turns do not say who wrote what, and the dump itself decides: the content of turns of nobody known, and what M09 takes for the template's in
 * those of the model. Elsewhere in these a token that the dump denies may as well have lost its number. Null where there is nothing of the kind.
 */
function openTokens(view: TrajectoryView, mask: Uint8Array, settings: AuditSettings): Uint8Array | null {
  const { expected, provenance, segmentation } = view
  // Supervised data trains what nobody sampled.
  if (expected === null || provenance === null || segmentation === null || settings.policy.id === 'sft') return null
  let isOpen: Uint8Array | null = null
  for (const turn of segmentation.turns) {
    const { kind, contentStart, contentEnd, headerEnd } = turn
    if (kind === 'other' && !settings.policy.intended.includes('M01')) {
      isOpen ??= new Uint8Array(mask.length)
      isOpen.fill(1, contentStart, contentEnd)
    }
    // A prefill begins behind the header, and is masked where it is right.
    if (kind !== 'assistant' || mask[headerEnd] !== 1 || provenance[headerEnd] !== Provenance.notSampled) continue
    for (const { start, end } of trainedPrefill(view, turn)) {
      isOpen ??= new Uint8Array(mask.length)
      isOpen.fill(1, start, end)
    }
  }
  return isOpen
}
