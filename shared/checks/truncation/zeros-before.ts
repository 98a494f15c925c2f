import type { Segmentation, Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'

/** The sampler scored nothing of the header of a turn, nor of the turn of another before it: it has numbers for what it sampled alone. */
export function isBehindZeros(
  { logprobs: { sampler } }: Pick<Trajectory, 'logprobs'>,
  { turns }: Segmentation,
  { index, headerEnd }: Turn,
): boolean {
  const before = turns[index - 1]
  if (sampler === null || before === undefined || before.kind === 'assistant') return false
  for (let i = before.start; i < headerEnd; i++) {
    const value = sampler[i] as number
    if (value !== 0 && !Number.isNaN(value)) return false
  }
  return true
}
