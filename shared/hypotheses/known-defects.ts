import { GENERAL_DEFECTS } from './defects-general.ts'
import { type KnownDefect, RERENDERED_CONTEXT, VERIFIERS_DEFECTS } from './defects-verifiers.ts'

/** Every defect that can be recognised, in the order in which a report tells them. */
export const KNOWN_DEFECTS: readonly KnownDefect[] = [
  ...[...VERIFIERS_DEFECTS, RERENDERED_CONTEXT].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))),
  ...[...GENERAL_DEFECTS].sort((a, b) => (a.id < b.id ? -1 : 1)),
]
