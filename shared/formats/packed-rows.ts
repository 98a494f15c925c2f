import type { Span } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'

/** One of the sequences of a packed row. `end` includes the padding behind the last of them. */
export interface PackedSpan extends Span {
  readonly padding: number
}

/** Sequences by the number that a packer gave each of their tokens; 0 is padding. One span where there is but one number. */
export function spansOfDocuments(documents: ArrayLike<number>): PackedSpan[] {
  let real = documents.length
  while (real > 0 && documents[real - 1] === 0) real--
  const spans: PackedSpan[] = []
  let start = 0
  for (let i = 1; i <= real; i++) {
    if (i < real && documents[i] === documents[i - 1]) continue
    spans.push({ start, end: i, padding: 0 })
    start = i
  }
  return withPadding(spans, documents.length)
}

/** Sequences by positions that begin at 0 again. A run of zeros at the end is padding: no sequence has one token. */
export function spansOfPositions(positions: ArrayLike<number>): PackedSpan[] {
  let real = positions.length
  while (real > 1 && positions[real - 1] === 0 && positions[real - 2] === 0) real--
  // The first zero of the run is padding, too, unless it follows nothing.
  if (real < positions.length && real > 1 && positions[real - 1] === 0) real--
  const spans: PackedSpan[] = []
  let start = 0
  for (let i = 1; i <= real; i++) {
    if (i < real && positions[i] !== 0) continue
    spans.push({ start, end: i, padding: 0 })
    start = i
  }
  return withPadding(spans, positions.length)
}

function withPadding(spans: readonly PackedSpan[], length: number): PackedSpan[] {
  const last = spans.at(-1)
  if (last === undefined) return [{ start: 0, end: length, padding: 0 }]
  return [...spans.slice(0, -1), { ...last, end: length, padding: length - last.end }]
}

/** The part of a packed row that one sequence is. Arrays keep what the row stores; `sequenceIds` are left to the row. */
export function sequenceOf(row: Trajectory, { start, end, padding }: PackedSpan): Trajectory {
  const cut = <Numbers extends Int32Array | Uint8Array | Float32Array>(stream: Numbers | null) =>
    (stream?.slice(start, end) ?? null) as Numbers | null
  const { sampler, trainer, reference } = row.logprobs
  return {
    ...row,
    ids: cut(row.ids),
    mask: cut(row.mask),
    weights: cut(row.weights),
    sampled: cut(row.sampled),
    attentionMask: cut(row.attentionMask),
    positionIds: cut(row.positionIds),
    sequenceIds: cut(row.sequenceIds),
    versions: cut(row.versions),
    logprobs: { sampler: cut(sampler), trainer: cut(trainer), reference: cut(reference) },
    entropy: cut(row.entropy),
    kl: cut(row.kl),
    advantages: cut(row.advantages),
    padding: { left: 0, right: padding },
  }
}
