import { BUNDLED_TOKENIZERS, type BundledTokenizerId } from './tokenizer.ts'

/** Ids that open a turn, by the families' own documentation; looked at only to save loading a family that cannot be it. */
const TURN_STARTS: Readonly<Record<BundledTokenizerId, number>> = { 'qwen2.5': 151644, qwen3: 151644, llama3: 128006 }

/** Below this share of the commonest family's turn starts an id is an ordinary word of another family. */
const ORDINARY = 0.1

/**
 * The bundled families worth loading for these ids: those whose turn start stands in them about as often as any other's.
 * All of them where none does. `chooseTokenizer` decides among them, from their real vocabularies.
 */
export function plausibleFamilies(samples: readonly Int32Array[]): BundledTokenizerId[] {
  const counts = new Map<number, number>(Object.values(TURN_STARTS).map((id) => [id, 0]))
  for (const ids of samples) {
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number
      const count = counts.get(id)
      if (count !== undefined) counts.set(id, count + 1)
    }
  }
  const most = Math.max(...counts.values())
  return BUNDLED_TOKENIZERS.filter((family) => (counts.get(TURN_STARTS[family]) as number) >= ORDINARY * most)
}
