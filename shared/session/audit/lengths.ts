import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { Histogram } from '../protocol.ts'

const BINS = 48

/** At most 48 bins of a round width over the lengths, empty dumps give no bin. */
export function lengthHistogram(lengths: readonly number[]): Histogram {
  let max = 0
  for (const length of lengths) if (length > max) max = length
  let width = 1
  for (let step = 0; (max + 1) / width > BINS; step++)
    width = ([1, 2, 5][step % 3] as number) * 10 ** Math.floor(step / 3)
  const counts = new Array<number>(lengths.length === 0 ? 0 : Math.floor(max / width) + 1).fill(0)
  for (const length of lengths) {
    const bin = Math.floor(length / width)
    counts[bin] = (counts[bin] as number) + 1
  }
  return { from: 0, width, counts }
}

/** The lengths that a histogram draws: whole sequences without padding, prompts, assistant turns or tool replies. */
export function lengthsOf(
  facts: readonly TrajectoryFacts[],
  of: 'sequence' | 'prompt' | 'assistant-turn' | 'tool-reply',
): number[] {
  switch (of) {
    case 'sequence':
      return facts.filter(({ length }) => length > 0).map(({ realLength }) => realLength)
    case 'prompt':
      // A dump may declare any number.
      return facts.flatMap(({ promptLength }) => (promptLength === null || promptLength < 0 ? [] : promptLength))
    case 'assistant-turn':
      return joined(facts, ({ assistantLengths }) => assistantLengths)
    case 'tool-reply':
      return joined(facts, ({ toolReplyLengths }) => toolReplyLengths)
  }
}

function joined(facts: readonly TrajectoryFacts[], lengthsIn: (row: TrajectoryFacts) => readonly number[]): number[] {
  const lengths: number[] = []
  for (const row of facts) for (const length of lengthsIn(row)) lengths.push(length)
  return lengths
}
