import type { DatasetPrompt } from './dataset.ts'

export interface SizedPrompt {
  readonly prompt: DatasetPrompt
  readonly length: number
}

/** How long the prompts are that have rollouts, and those that have none. */
export interface PromptLengths {
  readonly unit: 'tokens' | 'characters'
  /** Of those with rollouts. */
  readonly longest: number
  /** Prompts that are longer than any with a rollout. */
  readonly tail: readonly SizedPrompt[]
  /** How likely it is that no prompt of the tail is among as many as have rollouts, were these drawn without regard to length. */
  readonly chance: number
  /** All of the tail stands before, or all of it behind, every prompt with a rollout: the order in which a run reads them explains it as well. */
  readonly inOrder: boolean
  readonly histogram: {
    /** Width of a bin; the first begins at 0. */
    readonly width: number
    readonly with_rollouts: readonly number[]
    readonly without_rollouts: readonly number[]
  }
}

/** Bins of the histogram that evidence shows. */
const BINS = 20

/** Null where the lengths of some are not known in either unit. */
export function promptLengths(
  prompts: readonly DatasetPrompt[],
  seen: ReadonlySet<DatasetPrompt>,
): PromptLengths | null {
  const unit = (['tokens', 'characters'] as const).find((each) => prompts.every((prompt) => prompt[each] !== null))
  if (unit === undefined) return null
  const sized = prompts.map((prompt) => ({ prompt, length: prompt[unit] as number }))
  const longest = largest(sized.filter(({ prompt }) => seen.has(prompt)))
  const tail = sized.filter(({ length }) => length > longest)
  return {
    unit,
    longest,
    tail,
    chance: chanceOfNone(prompts.length, tail.length, seen.size),
    inOrder: standsApart(sized, tail, seen),
    histogram: histogramOf(sized, seen),
  }
}

function largest(sized: readonly SizedPrompt[]): number {
  return sized.reduce((most, { length }) => Math.max(most, length), 0)
}

/** Of drawing `drawn` out of `all` without any of `marked` (hypergeometric). */
function chanceOfNone(all: number, marked: number, drawn: number): number {
  let logarithm = 0
  for (let i = 0; i < drawn; i++) logarithm += Math.log((all - marked - i) / (all - i))
  return Math.exp(logarithm)
}

function standsApart(
  sized: readonly SizedPrompt[],
  tail: readonly SizedPrompt[],
  seen: ReadonlySet<DatasetPrompt>,
): boolean {
  const marked = new Set(tail)
  const order = sized.flatMap((each) => (marked.has(each) ? ['tail'] : seen.has(each.prompt) ? ['seen'] : []))
  return order.slice(1).filter((kind, at) => kind !== order[at]).length <= 1
}

function histogramOf(sized: readonly SizedPrompt[], seen: ReadonlySet<DatasetPrompt>): PromptLengths['histogram'] {
  const width = Math.max(1, Math.ceil((largest(sized) + 1) / BINS))
  const counts = { with_rollouts: new Array<number>(BINS).fill(0), without_rollouts: new Array<number>(BINS).fill(0) }
  for (const { prompt, length } of sized) {
    const bins = seen.has(prompt) ? counts.with_rollouts : counts.without_rollouts
    const bin = Math.floor(length / width)
    bins[bin] = (bins[bin] as number) + 1
  }
  return { width, ...counts }
}
