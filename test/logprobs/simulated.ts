import type { TrajectoryView } from '../../shared/checks/check.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'

/** Small, seeded, good enough for tests (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}

const VOCABULARY = 40

/** Logits of one step of a language model: most steps are all but certain, some are wide open. */
function logits(next: () => number): number[] {
  const sharpness = next() < 0.6 ? 6 + 6 * next() : 1 + 2 * next()
  return Array.from({ length: VOCABULARY }, () => normal(next) * sharpness)
}

export function logSoftmax(values: readonly number[], temperature = 1): number[] {
  const scaled = values.map((value) => value / temperature)
  const top = Math.max(...scaled)
  const norm = top + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - top), 0))
  return scaled.map((value) => value - norm)
}

function draw(logprobs: readonly number[], next: () => number): number {
  let left = next()
  for (const [token, value] of logprobs.entries()) {
    left -= Math.exp(value)
    if (left <= 0) return token
  }
  return logprobs.indexOf(Math.max(...logprobs))
}

export interface SimulatedScores {
  readonly sampler: number[]
  readonly trainer: number[]
}

/** A row of trained tokens only, as far as the checks of logprobs look at one. */
export function viewOf({ sampler, trainer }: SimulatedScores, model: string | null = null): TrajectoryView {
  const ids = Int32Array.from(sampler, (_, i) => i)
  return {
    trajectory: {
      ...emptyTrajectory({ source: 0, record: 0, part: 0 }, '0'.repeat(16)),
      ids,
      model,
      logprobs: { sampler: Float32Array.from(sampler), trainer: Float32Array.from(trainer), reference: null },
    },
    ids,
    mask: new Uint8Array(ids.length).fill(1),
    expectedRl: null,
    provenance: null,
    segmentation: null,
    thresholds: DEFAULT_THRESHOLDS,
  } as unknown as TrajectoryView
}

/** Scores of `length` steps: tokens drawn from what the sampler sees, each scored by both. */
export function simulate(
  seed: number,
  length: number,
  score: (
    logits: readonly number[],
    next: () => number,
    step: number,
  ) => { from?: readonly number[]; sampler: readonly number[]; trainer: readonly number[] },
): SimulatedScores {
  const next = random(seed)
  const sampler: number[] = []
  const trainer: number[] = []
  for (let step = 0; step < length; step++) {
    const scored = score(logits(next), next, step)
    const token = draw(scored.from ?? scored.sampler, next)
    sampler.push(Math.min(0, scored.sampler[token] as number))
    trainer.push(Math.min(0, scored.trainer[token] as number))
  }
  return { sampler, trainer }
}

/** Logits with the noise of another kernel. */
export const shaken = (values: readonly number[], next: () => number, size: number) =>
  values.map((value) => value + normal(next) * size)

/** The same row with the turns of the model in it, one of each length, one behind the other. */
export function viewOfTurns(scores: SimulatedScores, lengths: readonly number[]): TrajectoryView {
  let start = 0
  const turns = lengths.map((length, index) => {
    const place = { start, headerEnd: start, contentStart: start, contentEnd: start + length, end: start + length }
    start += length
    return { ...place, index, role: 'assistant', kind: 'assistant', ordinal: index + 1, endToken: -1, spans: [] }
  })
  return { ...viewOf(scores), segmentation: { turns, letters: [] }, tokenizer: null } as unknown as TrajectoryView
}
