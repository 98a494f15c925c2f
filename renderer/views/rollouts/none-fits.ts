import { count, counted } from '../../text/numbers.ts'

/** Says of no more rollouts than were looked into that none of them fits; `answer` is null where nothing was found out. */
export function noneFits(
  answer: { readonly reading: { readonly done: number; readonly of: number } | null } | null,
  isSearching: boolean,
  isReading: boolean,
): string {
  if (answer === null) return 'Stopped before a rollout was looked into.'
  if (answer.reading === null) {
    return isReading ? 'No rollout fits the query so far.' : 'No rollout fits the query.'
  }
  const share = `${count(answer.reading.done)} of ${counted(answer.reading.of, 'rollout')}`
  return isSearching ? `None so far: looked into ${share}.` : `Stopped after ${share}: none of these fits.`
}
