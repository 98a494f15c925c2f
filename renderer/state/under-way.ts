import { create } from 'zustand'

/** What the page does that takes a moment and is told nowhere else. */
export interface UnderWay {
  /** `Flagging 2,000 rollouts` */
  readonly words: string
  /** Null where it cannot be stopped halfway. */
  readonly stop: (() => void) | null
  /** Holds the page up, so that it has to be told before it begins. */
  readonly isAtOnce: boolean
}

export const useUnderWay = create<{ readonly jobs: readonly UnderWay[] }>()(() => ({ jobs: [] }))

/** Tells what is done for as long as that takes. */
export async function during<Result>(
  words: string,
  work: () => Promise<Result>,
  { stop = null, isAtOnce = false }: Partial<Omit<UnderWay, 'words'>> = {},
): Promise<Result> {
  const job = { words, stop, isAtOnce }
  useUnderWay.setState(({ jobs }) => ({ jobs: [...jobs, job] }))
  try {
    return await work()
  } finally {
    useUnderWay.setState(({ jobs }) => ({ jobs: jobs.filter((other) => other !== job) }))
  }
}

/** Jobs in the same words are told as one, whose stop stops each that can be stopped. */
export function byWords(jobs: readonly UnderWay[]): readonly UnderWay[] {
  return [...new Set(jobs.map(({ words }) => words))].map((words) => {
    const same = jobs.filter((job) => job.words === words)
    const stops = same.flatMap(({ stop }) => stop ?? [])
    return {
      words,
      stop:
        stops.length === 0
          ? null
          : () => {
              for (const stop of stops) stop()
            },
      isAtOnce: same.some(({ isAtOnce }) => isAtOnce),
    }
  })
}
