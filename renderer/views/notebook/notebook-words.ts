import type { Category, Confidence, HypothesisField, Phase, Priority, Status } from '../../../shared/notebook/model.ts'
import type { Standing } from '../../../shared/notebook/standing.ts'

export const STATUS_WORDS: Readonly<Record<Status, { readonly glyph: string; readonly name: string }>> = {
  pending: { glyph: '○', name: 'Pending' },
  testing: { glyph: '◔', name: 'Testing' },
  partial: { glyph: '◑', name: 'Partial' },
  inconclusive: { glyph: '?', name: 'Inconclusive' },
  validated: { glyph: '●', name: 'Validated' },
  invalidated: { glyph: '✕', name: 'Invalidated' },
}

export const PRIORITY_WORDS: Readonly<Record<Priority, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  'medium-low': 'Medium-low',
  low: 'Low',
}

export const CONFIDENCE_WORDS: Readonly<Record<Confidence, string>> = { high: 'High', medium: 'Medium', low: 'Low' }

/** What the experiments under a letter of the log try. */
export const CATEGORY_ABOUT: Readonly<Record<Category, string>> = {
  A: 'an adapter is trained: its rank, alpha and scaling',
  B: 'all parameters are trained, to rule the adapter out',
  C: 'the same with another model or chat template',
  D: 'one number is moved: learning rate, beta, n, gradient clip',
  E: 'other data: fewer rows, another split, other noise',
  F: 'how it runs: sharding, processes, memory, engine',
  G: 'settings that are known to be stable, to go back to',
}

export const PHASE_WORDS: Readonly<Record<Phase, { readonly title: string; readonly what: string }>> = {
  '1': { title: 'Phase 1', what: 'first: cheap to test, and likely' },
  '2': { title: 'Phase 2', what: 'if the first phase leaves it open' },
  '3': { title: 'Phase 3', what: 'last' },
  later: { title: 'Later', what: 'once something else is settled, or as soon as what it speaks of is seen' },
}

export const STANDING_SENTENCES: Readonly<Record<Standing, string>> = {
  agree: 'The dump agrees with your status.',
  disagree: 'The dump disagrees with your status.',
  undecided: 'Your status leaves it open.',
  silent: 'The dump does not decide it.',
}

/** Fields of text in the order of the page. */
export const TEXT_FIELDS = [
  ['description', 'Description', 'What might be wrong.'],
  ['rootCause', 'Root cause', 'Where it would come from.'],
  ['why', 'Why it explains the behaviour', 'How it leads to what is seen.'],
  ['validation', 'Validation', 'What is run or looked at, and what has to be seen.'],
  ['invalidation', 'Invalidation criteria', 'What would rule it out.'],
  ['questions', 'Diagnostic questions', 'What to ask of a run.'],
  ['alternatives', 'Alternatives', 'What else would explain it.'],
  ['interactions', 'Interactions', 'What it changes about other hypotheses.'],
  ['testing', 'Testing order and cost', 'When it is tested, what that costs, and what has to come before.'],
  ['results', 'Results', 'What was seen, and the reasoning.'],
  ['nextAction', 'Next action', 'The one thing to do next.'],
  ['related', 'Related hypotheses', 'By number and title.'],
  ['notes', 'Notes', 'Anything else.'],
] as const satisfies readonly (readonly [HypothesisField, string, string])[]

const FIELD_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TEXT_FIELDS.map(([field, title]) => [field, title])),
  title: 'Title',
  priority: 'Priority',
  status: 'Status',
  statusNote: 'Words beside the status',
  confidence: 'Confidence',
  phase: 'Phase',
  codeLocation: 'Code location',
  evidence: 'Evidence',
  parameters: 'Parameters',
  command: 'Command',
  outcome: 'Outcome',
  runs: 'Linked runs',
  tests: 'Hypotheses it tests',
  category: 'Category',
  statement: 'Statement',
  environment: 'Environment',
  works: 'What works',
  baseline: 'Baseline',
  criteria: 'Success criteria',
}

export function fieldName(field: string): string {
  // The history of a notebook may come from a file that anyone wrote.
  return Object.hasOwn(FIELD_NAMES, field) ? (FIELD_NAMES[field] as string) : field
}

/** `12 Jan, 14:05`, in the reader's own time. */
export function shortTime(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  return time.toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
}
