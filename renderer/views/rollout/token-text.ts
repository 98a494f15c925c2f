import { TokenFlag } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'

/** What stands for a token whose bytes belong to a character that is drawn at an earlier token. */
const CONTINUATION = '◂'

type Texts = Pick<TrajectoryDetail, 'ids' | 'text' | 'textOffsets' | 'flags'>

/** The text that is drawn for a token. Never empty: a token that spells nothing is still there. */
export function tokenText(detail: Texts, token: number): string {
  const text = detail.text.slice(detail.textOffsets[token], detail.textOffsets[token + 1])
  const flags = detail.flags[token] ?? 0
  if ((flags & TokenFlag.unknown) !== 0) return `⟨id ${detail.ids?.[token]}?⟩`
  if (text !== '') return text
  if ((flags & TokenFlag.startsInsideCharacter) !== 0) return CONTINUATION
  return `⟨${detail.ids?.[token] ?? ''}⟩`
}

/** Whether a token is drawn as a control token: the vocabulary has it as one, or it was added to it. */
export function isControl({ flags }: Pick<Texts, 'flags'>, token: number): boolean {
  return ((flags[token] ?? 0) & (TokenFlag.special | TokenFlag.added)) !== 0
}
