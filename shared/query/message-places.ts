import { roleKind } from '../model/roles.ts'
import type { Part, TurnKind } from '../model/tokens.ts'
import type { Message } from '../model/trajectory.ts'
import type { QueryNode } from './language/ast.ts'
import { wordMatcher } from './match-words.ts'
import { numberFits } from './verdicts.ts'

/** A text of a message that is one part of it. */
export interface MessagePiece {
  /** Index of its message. */
  readonly message: number
  readonly text: string
  /** Whether a tree of places holds for it, as far as messages have places: by part, role, turn (the message) and assistant turn. */
  fits(where: QueryNode): boolean
}

/** Everything that is written in messages, piece by piece; nothing where there are none. */
export function messagePieces(messages: readonly Message[] | null): MessagePiece[] {
  const pieces: MessagePiece[] = []
  let ordinal = 0
  for (const [message, { role, content, reasoning, toolCalls }] of (messages ?? []).entries()) {
    const kind = roleKind(role)
    if (kind === 'assistant') ordinal++
    const add = (part: Part, text: string | null | undefined) => {
      if (text === null || text === undefined || text === '') return
      const place = { part, role: kind, turn: message, ordinal }
      pieces.push({ message, text, fits: (where) => fitsPlace(where, place) })
    }
    add('think', reasoning)
    add(kind, content)
    for (const { name, arguments: given } of toolCalls ?? []) add('tool_call', `${name}(${given})`)
  }
  return pieces
}

interface MessagePlace {
  readonly part: Part
  readonly role: TurnKind
  readonly turn: number
  readonly ordinal: number
}

function fitsPlace(where: QueryNode, place: MessagePlace): boolean {
  switch (where.kind) {
    case 'all':
      return where.nodes.every((node) => fitsPlace(node, place))
    case 'any':
      return where.nodes.some((node) => fitsPlace(node, place))
    case 'not':
      return !fitsPlace(where.node, place)
    case 'clause': {
      const { field, test } = where
      if (field === 'turn') return numberFits(test, place.turn)
      if (field === 'assistant_turn') return numberFits(test, place.ordinal)
      if (test.kind !== 'among') return false
      const word = wordOf(field, place)
      return word !== null && wordMatcher(test.items, 'whole')(word) !== test.differs
    }
    default:
      return false
  }
}

/** What stands in a message alone is in no state, and at no position. */
function wordOf(field: string, { part, role }: MessagePlace): string | null {
  if (field === 'part') return part
  if (field === 'role') return role
  return field === 'state' ? 'unknown' : null
}
