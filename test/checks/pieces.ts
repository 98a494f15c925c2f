import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditTrajectories } from './audit.ts'

/** A piece of a rollout: a text, whether the loss takes it, and whether the model wrote it. */
export type Piece = readonly [text: string, trained: boolean, sampled: boolean]

export const masked = ([text, , sampled]: Piece): Piece => [text, false, sampled]
export const trained = ([text, , sampled]: Piece): Piece => [text, true, sampled]

/** The checks that fail on four rollouts of these pieces. `tells`: the dump says who wrote what. */
export function failingOf(tokenizer: Tokenizer, pieces: readonly Piece[], tells: boolean): readonly string[] {
  const rows = [0, 1, 2, 3].map((record) => {
    const parts = pieces.map(([text, isTrained, isSampled]) => {
      const ids = tokenizer.encode(text, { specials: true })
      return { ids, trained: ids.map(() => Number(isTrained)), sampled: ids.map(() => Number(isSampled)) }
    })
    return {
      ...emptyTrajectory({ source: 0, record, part: 0 }, `${record}`.padStart(16, '0')),
      ids: Int32Array.from(parts.flatMap(({ ids }) => ids)),
      mask: Uint8Array.from(parts.flatMap((part) => part.trained)),
      sampled: tells ? Uint8Array.from(parts.flatMap(({ sampled }) => sampled)) : null,
    }
  })
  return auditTrajectories(rows, tokenizer).failing
}
