import type { ModelVocabulary } from '../../checks/check.ts'
import { familyNamed, framedBy } from '../../tokens/choose.ts'
import { type BundledTokenizerId, type BundledTokenizers, TokenKind } from '../../tokens/tokenizer.ts'
import type { KinEvidence } from './kin.ts'
import { isBundled, loadTokenizer } from './load-tokenizer.ts'

/**
 * The vocabulary that the ids of a kin must be of where they are not read with it: that of the model which the dump names, else of
 * the family whose turns the ids open though too many of them are not its own. Null where ids and names agree, or say nothing.
 *
 * @param chosen id of the tokenizer that the ids are read with, null for none
 */
export async function modelVocabulary(
  evidence: Pick<KinEvidence, 'model' | 'candidates' | 'fitted'>,
  chosen: string | null,
  bundled: BundledTokenizers,
): Promise<ModelVocabulary | null> {
  const other = otherFamily(evidence, chosen)
  const tokenizer = other === null ? null : await loadTokenizer({ kind: 'bundled', id: other.family }, bundled)
  if (other === null || tokenizer === null) return null
  const { size, kinds } = tokenizer.table
  const holes: number[] = []
  for (let id = 0; id < size; id++) if (kinds[id] === TokenKind.none) holes.push(id)
  return {
    title: tokenizer.title,
    model: other.model,
    size,
    holes,
    turnStart: tokenizer.frame?.turnStart ?? null,
  }
}

/** The family whose vocabulary that is, with the name of the model where it is known by that. */
export function otherFamily(
  { model, candidates, fitted }: Pick<KinEvidence, 'model' | 'candidates' | 'fitted'>,
  chosen: string | null,
): { readonly family: BundledTokenizerId; readonly model: string | null } | null {
  const named = model === null ? null : familyNamed(model)
  const family = named ?? (chosen === null ? (framedBy(candidates, fitted)?.id ?? null) : null)
  if (family === null || family === chosen || fitted.length === 0 || !isBundled(family)) return null
  return { family, model: named === null ? null : model }
}
