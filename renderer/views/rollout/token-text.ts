import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'

/** Bits of `TrajectoryDetail.flags`. */
export const TokenFlag = { special: 1, added: 2, endsInside: 4, startsInside: 8, unknown: 16, silent: 32 } as const

/** What stands for a token whose bytes belong to a character that is drawn at an earlier token. */
const CONTINUATION = '◂'

type Texts = Pick<TrajectoryDetail, 'ids' | 'text' | 'textOffsets' | 'flags'>

/** The text that is drawn for a token. Never empty: a token that spells nothing is still there. */
export function tokenText(detail: Texts, token: number): string {
  const text = detail.text.slice(detail.textOffsets[token], detail.textOffsets[token + 1])
  const flags = detail.flags[token] ?? 0
  if ((flags & TokenFlag.unknown) !== 0) return `⟨id ${detail.ids?.[token]}?⟩`
  if (text !== '') return text
  if ((flags & TokenFlag.startsInside) !== 0) return CONTINUATION
  return `⟨${detail.ids?.[token] ?? ''}⟩`
}
