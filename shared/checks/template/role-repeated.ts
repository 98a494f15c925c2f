import type { Span, Turn } from '../../model/tokens.ts'
import { isBareHeader } from '../../tokens/segment.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { edgeBefore } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { listOf } from '../oracles/spans.ts'

export const T06: Check = {
  code: 'T06',
  name: 'role-repeated',
  title: 'Assistant header is there twice, or its role is part of the answer',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant headers',
  why: 'A generation prompt was added to a text that had one: the model is trained after a header, or on a role name, it never writes.',
  fix: 'Add the generation prompt once, and strip none of its parts from the sampled text by hand.',
  cite: 'verl#1531, SkyRL#710',
  trajectory(view, _settings, report) {
    const turns = view.segmentation?.turns ?? []
    const plain = plainTurns(view)
    if (plain !== null && !turns.some((turn) => turn.kind === 'assistant' && leakedRole(view, turn) !== null))
      return report.sound(plain.written)
    for (const turn of turns) {
      if (turn.kind !== 'assistant' || turn.header !== 'present') continue
      // The first of two headers is looked at with the second.
      if (isBareHeader(turn) && turns[turn.index + 1]?.kind === 'assistant') continue
      const repeated = repeatedHeader(view, turn)
      const leaked = repeated === null ? leakedRole(view, turn) : null
      const span = repeated ?? leaked
      report.place(span !== null, {
        turn: turn.ordinal,
        boundary: edgeBefore(view.segmentation as NonNullable<TrajectoryView['segmentation']>, turn),
      })
      if (span === null) continue
      report.fault({
        turn,
        tokens: span,
        message:
          repeated === null
            ? `The content of assistant turn ${turn.ordinal} begins with its role: ${JSON.stringify(view.text(span))}`
            : `The header of assistant turn ${turn.ordinal} follows another assistant header directly`,
        evidence: { ids: listOf(view.ids, span.start, span.end), text: view.text(span) },
      })
    }
  },
}

/** Both headers, where the turn before is nothing but a header. */
function repeatedHeader({ segmentation }: TrajectoryView, turn: Turn): Span | null {
  const before = segmentation?.turns[turn.index - 1]
  return before !== undefined && isBareHeader(before) ? { start: before.start, end: turn.headerEnd } : null
}

/**
 * The turn's own role and the newline after it, where the content begins with them, as a header's rest does. Names of other roles are words
 * like any other: an answer may be `user`.
 */
function leakedRole(view: TrajectoryView, { contentStart, contentEnd }: Turn): Span | null {
  const { ids, tokenizer } = view
  if (tokenizer === null || contentStart === contentEnd) return null
  if (!isRole(tokenizer.table, ids[contentStart] as number)) return null
  const span = { start: contentStart, end: Math.min(contentEnd, contentStart + 2) }
  return /^\w+\n/.test(view.text(span)) ? span : null
}

/** Whether an id is the role by itself. A loop and no function for each byte: every turn of every rollout is asked. */
function isRole({ bytes, offsets, size }: TokenTable, id: number): boolean {
  if (!(id >= 0 && id < size)) return false
  const from = offsets[id] as number
  if ((offsets[id + 1] as number) - from !== ROLE.length) return false
  for (let i = 0; i < ROLE.length; i++) if (bytes[from + i] !== ROLE[i]) return false
  return true
}

/** As ChatML and Llama 3 write it. */
const ROLE = new TextEncoder().encode('assistant')
