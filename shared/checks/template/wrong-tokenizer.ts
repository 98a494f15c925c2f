import { TokenKind } from '../../tokens/tokenizer.ts'
import type { Check, TrajectoryView } from '../check.ts'

export const T17: Check = {
  code: 'T17',
  name: 'wrong-tokenizer',
  title: 'Ids are not in the vocabulary',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'trajectories',
  why: 'The ids were made with, or are read with, a tokenizer that is not the model’s: every text and turn shown may be wrong.',
  fix: 'Give the tokenizer of the model with --tokenizer; if it is the right one, look for the step that encoded with another.',
  cite: 'verl#5582, LlamaFactory#9092, tinker-cookbook#837',
  trajectory(view, _settings, report) {
    const found = foreignIds(view)
    report.place(found !== null)
    if (found === null) return
    const { tokens, ids, first } = found
    const named = [...ids].slice(0, 4).map(([id, count]) => (count === 1 ? `${id}` : `${id} (${count} times)`))
    report.fault({
      scope: 'trajectory',
      tokens: { start: first, end: first + 1 },
      affected: [],
      message: `${tokens} ${tokens === 1 ? 'token has an id that' : 'tokens have ids that'} ${view.tokenizer?.title} does not have: ${named.join(', ')}${ids.size > 4 ? ' …' : ''}`,
      evidence: { tokens, ids: Object.fromEntries([...ids].slice(0, 32)), tokenizer: view.tokenizer?.id ?? null },
    })
  },
}

/** Ids of real tokens that name no piece of the vocabulary. Negative ones are placeholders of other kinds, not of a vocabulary. */
function foreignIds({ ids, segmentation, tokenizer }: TrajectoryView) {
  if (tokenizer === null) return null
  const { kinds, size } = tokenizer.table
  const { left, right } = segmentation?.padding ?? { left: 0, right: 0 }
  let first = -1
  let tokens = 0
  const counts = new Map<number, number>()
  const end = ids.length - right
  for (let i = left; i < end; i++) {
    const id = ids[i] as number
    if (id < 0 || (id < size && kinds[id] !== TokenKind.none)) continue
    if (first < 0) first = i
    tokens++
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return first < 0 ? null : { first, tokens, ids: counts }
}
