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
  const counts = new Map<number, number>()
  for (const start of Object.values(TURN_STARTS)) {
    let count = 0
    for (const ids of samples) for (let i = ids.indexOf(start); i >= 0; i = ids.indexOf(start, i + 1)) count++
    counts.set(start, count)
  }
  const most = Math.max(...counts.values())
  return BUNDLED_TOKENIZERS.filter((family) => (counts.get(TURN_STARTS[family]) as number) >= ORDINARY * most)
}
