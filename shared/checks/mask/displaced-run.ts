import type { Turn } from '../../model/tokens.ts'
import { runEnd } from '../oracles/spans.ts'

/**
 * A trained run that ends or begins amid the words of another's turn lies late or early: what it takes of the edge beside them is no fault of its
 * own (M01, M05, M06 or M07 names it). One that covers these words whole says nothing of its place, and each part of it is named.
 */

/** Whether the trained run behind which `at` stands begins amid the words of `before`, a turn of the environment. */
export function flowsIn(mask: Uint8Array, at: number, { kind, contentStart, contentEnd }: Turn): boolean {
  if (kind === 'assistant') return false
  let start = at
  while (start > contentStart && mask[start - 1] === 1) start--
  return start > contentStart && start < contentEnd
}

/** Whether the trained run that `at` stands in ends amid the words of `next`, a turn of the environment. */
export function flowsOn(mask: Uint8Array, at: number, { kind, contentStart, contentEnd }: Turn): boolean {
  if (kind === 'assistant' || mask[at] !== 1) return false
  const end = runEnd(mask, at, contentEnd)
  return end > contentStart && end < contentEnd
}
