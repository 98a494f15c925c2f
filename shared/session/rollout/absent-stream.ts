import { howToDump, type TokenStream } from '../../formats/dump-switches.ts'
import type { LoadedTrajectory } from '../detail.ts'

/** Says why a rollout has no mask that counts: it has none, or one that does not fit its ids. */
export function absentMask(loaded: Pick<LoadedTrajectory, 'missing' | 'formatId' | 'facts'>): string {
  if (loaded.facts.unfitMask === true) return 'Loss mask: that of this rollout does not fit its ids (S03).'
  return absentStream(loaded, 'Loss mask', 'mask')
}

/** Says that a rollout lacks a stream; where its whole file does, with what a trainer writes it by. */
export function absentStream(
  { missing, formatId }: Pick<LoadedTrajectory, 'missing' | 'formatId'>,
  title: string,
  stream: TokenStream,
): string {
  if (!missing.includes(stream)) return `${title}: not in this rollout, while others of its file have it.`
  return `${title}: not in this dump. ${howToDump(formatId, stream)}`
}
