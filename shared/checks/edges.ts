import type { Segmentation, Turn } from '../model/tokens.ts'

/** `assistant>tool`: the edge between a turn and the one after it; `end` where the row ends. */
export function edgeAfter({ turns }: Segmentation, turn: Turn): string {
  return `${turn.kind}>${turns[turn.index + 1]?.kind ?? 'end'}`
}

/** The edge between a turn and the one before it; `start` where the row begins with the turn. */
export function edgeBefore({ turns }: Segmentation, turn: Turn): string {
  return `${turns[turn.index - 1]?.kind ?? 'start'}>${turn.kind}`
}

/** All turns but those in which nothing was written: a bare generation prompt, with or without an opening think tag. */
export function filledTurns({ turns, endsWithGenerationPrompt }: Segmentation): Turn[] {
  const last = endsWithGenerationPrompt ? turns.length - 1 : turns.length
  return turns.filter(({ index, kind, contentStart, contentEnd }) => {
    return index < last && (kind !== 'assistant' || contentEnd > contentStart)
  })
}

/** Assistant turns that hold something. */
export function writtenTurns(segmentation: Segmentation): Turn[] {
  return filledTurns(segmentation).filter(({ kind }) => kind === 'assistant')
}

/** `1 token`, `245 tokens`. */
export function tokenCount(count: number): string {
  return count === 1 ? '1 token' : `${count} tokens`
}

/** A token count with its verb: `1 token of a tool reply carries loss`, `245 tokens … carry loss`. */
export function carryLoss(count: number, where: string): string {
  return `${tokenCount(count)} ${where} ${count === 1 ? 'carries' : 'carry'} loss`
}
