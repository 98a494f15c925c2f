import type { Report } from '../model/report.ts'
import { chooseTokenizer } from '../tokens/choose.ts'
import { plausibleFamilies } from '../tokens/plausible.ts'
import { BUNDLED_TOKENIZERS } from '../tokens/tokenizer.ts'
import type { EngineHost } from './host.ts'
import { isBundled, loadTokenizer } from './load-tokenizer.ts'
import type { OpenSource } from './open-source.ts'
import type { TokenizerReference } from './plan.ts'

export interface PickedTokenizer {
  readonly reference: TokenizerReference | null
  readonly report: Report['tokenizer']
}

/** That many sampled sequences decide; more would not tell more. */
const SEQUENCES = 32

/** The tokenizer that a person named, else the bundled family that the dump's own ids speak for, else none. */
export async function pickTokenizer(
  sources: readonly OpenSource[],
  given: string | null,
  host: EngineHost,
  added: readonly TokenizerReference[],
): Promise<PickedTokenizer> {
  if (given !== null) return namedTokenizer(given, added)
  const trajectories = sources.flatMap(({ sample }) => sample)
  const sequences = trajectories.flatMap(({ ids }) => ids ?? []).slice(0, SEQUENCES)
  if (sequences.length === 0) return none(['no token ids in this dump'])
  const candidates = []
  for (const id of plausibleFamilies(sequences)) {
    const tokenizer = await loadTokenizer({ kind: 'bundled', id }, host.bundledTokenizers)
    if (tokenizer !== null) candidates.push({ id, table: tokenizer.table, frame: tokenizer.frame })
  }
  const model = trajectories.find((trajectory) => trajectory.model !== null)?.model ?? null
  const chosen = chooseTokenizer(sequences, candidates, { model })
  if (chosen.id === null || !isBundled(chosen.id)) return none(chosen.evidence)
  return {
    reference: { kind: 'bundled', id: chosen.id },
    report: { id: chosen.id, origin: 'bundled', confidence: chosen.confidence, evidence: [...chosen.evidence] },
  }
}

function namedTokenizer(given: string, added: readonly TokenizerReference[]): PickedTokenizer {
  const reference =
    added.find(({ id }) => id === given) ?? (isBundled(given) ? { kind: 'bundled' as const, id: given } : null)
  if (reference === null) {
    throw new Error(
      `There is no tokenizer called ${given}. Name ${BUNDLED_TOKENIZERS.join(', ')}, or give a folder with a tokenizer.json.`,
    )
  }
  const origin = reference.kind === 'files' ? reference.origin : 'given'
  return { reference, report: { id: given, origin, confidence: 1, evidence: ['named by the person'] } }
}

function none(evidence: readonly string[]): PickedTokenizer {
  return { reference: null, report: { id: null, origin: 'none', confidence: 0, evidence: [...evidence] } }
}
