import type { TrajectoryView } from '../../checks/check.ts'
import type { LossType } from '../../checks/groups/token-weights.ts'
import { isLogprob, logprobBounds, pairsOf } from '../../checks/logprobs/scored.ts'
import type { TokenStream } from '../../formats/dump-switches.ts'
import { formatById } from '../../formats/registry.ts'
import { counted, measured } from '../../model/number-text.ts'
import { Expected, Provenance, TokenState } from '../../model/tokens.ts'
import type { LoadedTrajectory } from '../detail.ts'
import { OVERLAYS, type Overlay, type OverlayChoice, type OverlayId, type OverlayScale } from '../requests/rollout.ts'
import { absentMask, absentStream } from './absent-stream.ts'
import { batchWeight, type LossBatch } from './loss-weights.ts'
import { type Reach, reachOf, stepsOf } from './overlay-scale.ts'
import { missingForRepair, repairOverlay } from './repair-overlay.ts'

/** What an overlay knows of the dump that a rollout is part of. */
export interface OverlayContext {
  batch(): LossBatch
  /** The largest |advantage| of every rollout that has one. */
  advantages(): Float64Array
}

const TITLES: Readonly<Record<OverlayId, string>> = {
  advantage: 'advantage',
  sampler: 'sampler logprob',
  trainer: 'trainer logprob',
  reference: 'reference logprob',
  delta: 'Δ logprob (trainer − sampler)',
  entropy: 'entropy',
  kl: 'KL',
  'weight-grpo': 'loss weight, grpo',
  'weight-dapo': 'loss weight, dapo',
  'weight-bnpo': 'loss weight, bnpo',
  'weight-dr_grpo': 'loss weight, dr_grpo',
  repair: 'repaired mask',
}

const STREAMS: Readonly<Partial<Record<OverlayId, readonly TokenStream[]>>> = {
  advantage: ['advantages'],
  sampler: ['logprobs.sampler'],
  trainer: ['logprobs.trainer'],
  reference: ['logprobs.reference'],
  delta: ['logprobs.trainer', 'logprobs.sampler'],
  entropy: ['entropy'],
  kl: ['kl'],
}

const STREAM_NAMES: Readonly<Partial<Record<TokenStream, string>>> = {
  advantages: 'Advantages',
  'logprobs.sampler': 'Sampler logprobs',
  'logprobs.trainer': 'Trainer logprobs',
  'logprobs.reference': 'Reference logprobs',
  entropy: 'Entropy',
  kl: 'KL',
}

/** Every overlay, with what is missing where a rollout has none. */
export function overlayChoices(loaded: LoadedTrajectory): OverlayChoice[] {
  return OVERLAYS.map((id) => ({ id, title: TITLES[id], missing: missingFor(loaded, id) }))
}

function missingFor(loaded: LoadedTrajectory, id: OverlayId): string | null {
  if (loaded.view === null) return absentStream(loaded, 'Token ids', 'ids')
  if (id === 'repair') return missingForRepair(loaded)
  const lossType = lossTypeOf(id)
  if (lossType !== null) return missingForWeights(loaded)
  for (const stream of STREAMS[id] ?? []) {
    if (streamOf(loaded, stream) !== null) continue
    return absentStream(loaded, STREAM_NAMES[stream] ?? stream, stream)
  }
  if (scoredOf(loaded, id).scored === 0)
    return 'No token of this rollout has a number here: there are placeholders alone.'
  return null
}

function missingForWeights(loaded: LoadedTrajectory): string | null {
  const { facts } = loaded
  if (facts.excluded) return 'Its source leaves this row out of the loss, so no token of it counts.'
  if (facts.weight === null) return absentMask(loaded)
  return facts.weight === 0 ? 'No token of this rollout is trained, so none counts in the loss.' : null
}

function lossTypeOf(id: OverlayId): LossType | null {
  return id.startsWith('weight-') ? (id.slice('weight-'.length) as LossType) : null
}

/** A number per token, or one for the whole rollout; null where the dump holds neither. */
function streamOf({ trajectory, facts }: LoadedTrajectory, stream: TokenStream): Float32Array | number | null {
  switch (stream) {
    case 'advantages':
      return trajectory.advantages ?? facts.advantage
    case 'logprobs.sampler':
      return trajectory.logprobs.sampler
    case 'logprobs.trainer':
      return trajectory.logprobs.trainer
    case 'logprobs.reference':
      return trajectory.logprobs.reference
    case 'entropy':
      return trajectory.entropy
    case 'kl':
      return trajectory.kl
    default:
      return null
  }
}

/** Throws with a sentence where the rollout has no such overlay. */
export function overlayOf(loaded: LoadedTrajectory, id: OverlayId, context: OverlayContext): Overlay {
  const missing = missingFor(loaded, id)
  if (missing !== null) throw new Error(missing)
  const { values, scale, changed = null } = numbersOf(loaded, id, context)
  return { id, title: TITLES[id], values, steps: stepsOf(values, scale), changed, scale }
}

function numbersOf(
  loaded: LoadedTrajectory,
  id: OverlayId,
  context: OverlayContext,
): Pick<Overlay, 'values' | 'scale'> & Partial<Pick<Overlay, 'changed'>> {
  if (id === 'repair') return repairOverlay(loaded)
  const lossType = lossTypeOf(id)
  return lossType === null ? streamOverlay(loaded, id, context) : weightOverlay(loaded, lossType, context)
}

interface Scored {
  /** NaN where there is no number. */
  readonly values: Float32Array
  readonly scored: number
  readonly placeholders: number
}

/** The numbers of a stream without what only stands in for one. */
function scoredOf(loaded: LoadedTrajectory, id: OverlayId): Scored {
  const view = loaded.view as TrajectoryView
  if (id === 'delta') {
    const sampler = scoredOf(loaded, 'sampler')
    const trainer = scoredOf(loaded, 'trainer')
    const values = trainer.values.map((value, token) => value - (sampler.values[token] as number))
    return { ...withScored(values), placeholders: Math.max(sampler.placeholders, trainer.placeholders) }
  }
  const stream = streamOf(loaded, (STREAMS[id] as readonly TokenStream[])[0] as TokenStream)
  if (typeof stream === 'number') {
    const values = Float32Array.from(view.states, (state) => (state === TokenState.trained ? stream : Number.NaN))
    return { ...withScored(values), placeholders: 0 }
  }
  const values = (stream as Float32Array).slice()
  let placeholders = 0
  const leaveOut = (token: number) => {
    values[token] = Number.NaN
    placeholders++
  }
  const isLogprobs = id === 'sampler' || id === 'trainer' || id === 'reference'
  const bounds = logprobBounds(view.thresholds)
  const filler = id === 'sampler' ? samplerFiller(loaded) : null
  const contradicted = new Set(id === 'sampler' ? pairsOf(view)?.placeholders : [])
  const zeroOutside = isZeroOutsideMask(values, view.states)
  for (let token = 0; token < values.length; token++) {
    const value = values[token] as number
    if (Number.isNaN(value)) continue
    if (view.states[token] === TokenState.padding) values[token] = Number.NaN
    else if (!Number.isFinite(value) || (isLogprobs && !isLogprob(value, bounds))) leaveOut(token)
    else if (zeroOutside && value === 0 && view.states[token] !== TokenState.trained) leaveOut(token)
    else if (contradicted.has(token) || (value === filler && !isKnownSample(view, token))) leaveOut(token)
  }
  // Index 0 is never predicted: where trainers store a number there it is a filler (NeMo-RL forces it to 0).
  if (isLogprobs && values[0] === 0) leaveOut(0)
  return { ...withScored(values), placeholders }
}

/** What the format documents to stand on tokens that nobody sampled; null where it documents none. */
function samplerFiller({ formatId }: LoadedTrajectory): number | null {
  const filler = formatById(formatId)?.unsampledLogprob ?? null
  return typeof filler === 'number' ? filler : null
}

/** Whether anything says that the model wrote a token: an exact 0.0 is then its logprob. */
function isKnownSample({ provenance, expectedRl, states }: TrajectoryView, token: number): boolean {
  if (provenance?.[token] === Provenance.sampled) return true
  return expectedRl === null ? states[token] === TokenState.trained : expectedRl[token] === Expected.trained
}

/** Every number outside of the mask is exactly 0, and there are some: they were filled in. */
function isZeroOutsideMask(values: Float32Array, states: Uint8Array): boolean {
  let zeros = 0
  let others = 0
  for (let token = 0; token < values.length; token++) {
    const value = values[token] as number
    if (states[token] !== TokenState.masked || Number.isNaN(value)) continue
    if (value === 0) zeros++
    else others++
  }
  return zeros > 0 && others === 0
}

function withScored(values: Float32Array): Pick<Scored, 'values' | 'scored'> {
  let scored = 0
  for (let token = 0; token < values.length; token++) if (!Number.isNaN(values[token])) scored++
  return { values, scored }
}

const ABOUT: Readonly<Partial<Record<OverlayId, string>>> = {
  advantage: 'What the loss multiplies each token by: above 0 the token is made more likely, below 0 less.',
  sampler:
    'Natural logarithm of the probability that the inference engine gave to the token; strong colour = unlikely.',
  trainer: 'The same as the trainer recomputed it; strong colour = unlikely.',
  reference: 'The same under the reference model; strong colour = unlikely.',
  delta:
    'Above 0 the trainer finds the token likelier than the sampler did; on the right weights it is near 0 throughout.',
  entropy: 'Entropy of the distribution that the token was drawn from, as stored.',
  kl: 'The KL term of each token, as stored.',
}

function streamOverlay(loaded: LoadedTrajectory, id: OverlayId, context: OverlayContext) {
  const { values, scored, placeholders } = scoredOf(loaded, id)
  const numbers = Float64Array.from(values.filter((value) => !Number.isNaN(value)))
  const isSigned = id === 'delta' || id === 'advantage' || (id === 'kl' && numbers.some((value) => value < 0))
  const reach = id === 'advantage' ? advantageReach(numbers, context) : ofRollout(numbers)
  const isLogprobs = id === 'sampler' || id === 'trainer' || id === 'reference'
  const sign = isLogprobs ? -1 : 1
  const perRollout = id === 'advantage' && loaded.trajectory.advantages === null
  const scale: OverlayScale = {
    kind: isSigned ? 'diverging' : 'sequential',
    from: isSigned ? -reach.size : 0,
    to: sign * reach.size,
    centre: 0,
    isLog: false,
    how: reach.how,
    about: perRollout
      ? `${ABOUT.advantage} The dump holds one for the whole rollout; it is drawn on the trained tokens.`
      : (ABOUT[id] as string),
    unit: id === 'advantage' ? '' : ' nats',
    scored,
    placeholders,
    beyond: numbers.filter((value) => Math.abs(value) > reach.size * (1 + ROUNDING)).length,
  }
  return { values, scale }
}

/** Numbers are stored in 32 bits. */
const ROUNDING = 1e-6

function ofRollout(numbers: Float64Array): Reach {
  return reachOf(numbers.map(Math.abs), { one: 'scored token', rest: ' of this rollout' })
}

/** Advantages are compared between rollouts, so their scale is that of the dump. */
function advantageReach(numbers: Float64Array, context: OverlayContext): Reach {
  const sizes = context.advantages()
  if (sizes.length === 0) return ofRollout(numbers)
  return reachOf(sizes, { one: 'rollout', rest: ' of the dump, by their largest |advantage|' })
}

/** Loss weights are told as multiples of the mean of the batch: by themselves they are numbers near 0 that say nothing. */
function weightOverlay(loaded: LoadedTrajectory, type: LossType, context: OverlayContext) {
  const view = loaded.view as TrajectoryView
  const batch = context.batch()
  const own = batchWeight(loaded.facts, batch, type)
  if (own === null) throw new Error('This rollout is in no batch of the loss yet. Wait until everything has been read.')
  const { ratio } = own
  const values = Float32Array.from(view.states, (state, token) =>
    state === TokenState.trained ? ratio * (view.weights?.[token] ?? 1) : Number.NaN,
  )
  const factors = own.ratios.map((other) => Math.abs(Math.log2(other)))
  const reach = reachOf(factors, { one: 'rollout', rest: ' of the batch' })
  const isNarrow = factors.every((factor) => factor < 1)
  const end = isNarrow ? 2 : 2 ** reach.size
  const beyond = values.filter((value) => value > 0 && Math.abs(Math.log2(value)) > Math.log2(end) + ROUNDING).length
  const scale: OverlayScale = {
    kind: 'diverging',
    from: 1 / end,
    to: end,
    centre: 1,
    isLog: true,
    how: isNarrow ? 'half to twice the mean: no rollout of the batch is further off' : reach.how,
    about: `${WEIGHT_WORDS[type]} Before the advantage, against the mean trained token of the ${
      batch.rows.length === 1 ? 'only rollout' : counted(batch.rows.length, 'rollout')
    } of its ${loaded.facts.step === null ? 'file' : 'step'}; ${
      own.token === null
        ? 'the constant is not known: no limit of whole completions is.'
        : `its factor in the loss is ${measured('factor', own.token)}.`
    }`,
    unit: '×',
    scored: withScored(values).scored,
    placeholders: 0,
    beyond,
  }
  return { values, scale }
}

const WEIGHT_WORDS: Readonly<Record<LossType, string>> = {
  grpo: 'grpo takes the mean of each rollout first, so a token of a short rollout counts more.',
  dapo: 'dapo takes the mean over all trained tokens of the batch, so each counts the same.',
  bnpo: 'bnpo takes that mean in each micro-batch; the dump does not tell micro-batches, so the whole batch stands for one.',
  dr_grpo: 'dr_grpo divides by a constant, so each trained token counts the same.',
}
