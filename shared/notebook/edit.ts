import type {
  Category,
  Change,
  Evidence,
  Experiment,
  ExperimentField,
  Hypothesis,
  HypothesisField,
  LinkedRun,
  Notebook,
  Problem,
} from './model.ts'
import { withoutSecrets, withoutSecretValue } from './secrets.ts'

/** When something was changed (ISO 8601) and why, as far as a person says. */
export interface When {
  readonly at: string
  readonly reason?: string
}

/** Characters of a text that the history keeps of either side. */
const LONGEST_KEPT = 2000
/** Changes of one field within this time (milliseconds) are one change: a text is not written in one go. */
const ONE_GO = 10 * 60_000

/** Changes fields of a hypothesis. Nothing happens where there is none of this id, or nothing differs. */
export function editHypothesis(
  notebook: Notebook,
  id: string,
  fields: Partial<Pick<Hypothesis, HypothesisField>>,
  when: When,
): Notebook {
  const hypothesis = notebook.hypotheses.find((each) => each.id === id)
  if (hypothesis === undefined) return notebook
  const changes = changesOf({ kind: 'hypothesis', id }, hypothesis, fields, when)
  if (changes.length === 0) return notebook
  return withChanges(replaceHypothesis(notebook, { ...hypothesis, ...fields }), changes)
}

/** Changes fields of an experiment likewise. Keys, tokens and passwords of its command and settings are masked before anything is kept. */
export function editExperiment(
  notebook: Notebook,
  id: string,
  given: Partial<Pick<Experiment, ExperimentField>>,
  when: When,
): Notebook {
  const experiment = notebook.experiments.find((each) => each.id === id)
  if (experiment === undefined) return notebook
  const fields = maskedFields(given)
  const changes = changesOf({ kind: 'experiment', id }, experiment, fields, when)
  if (changes.length === 0) return notebook
  return withChanges(replaceExperiment(notebook, { ...experiment, ...fields }), changes)
}

function maskedFields(fields: Partial<Pick<Experiment, ExperimentField>>): typeof fields {
  const { command, parameters } = fields
  return {
    ...fields,
    ...(command === undefined ? {} : { command: withoutSecrets(command).text }),
    ...(parameters === undefined ? {} : { parameters: parameters.map(withoutSecretValue) }),
  }
}

export function editProblem(notebook: Notebook, fields: Partial<Problem>, when: When): Notebook {
  const changes = changesOf({ kind: 'problem', id: '' }, notebook.problem, fields, when)
  if (changes.length === 0) return notebook
  return withChanges({ ...notebook, problem: { ...notebook.problem, ...fields } }, changes)
}

/** A hypothesis of one's own, under the next free number. */
export function addHypothesis(notebook: Notebook, title: string, when: When): { notebook: Notebook; id: string } {
  const numbers = notebook.hypotheses.map(({ id }) => Number(/^H(\d+)/.exec(id)?.[1] ?? 0))
  const id = `H${String(Math.max(0, ...numbers) + 1).padStart(2, '0')}`
  const added: Change = { at: when.at, of: { kind: 'hypothesis', id }, field: 'added', from: '', to: title, reason: '' }
  const hypotheses = [...notebook.hypotheses, newHypothesis(id, title)]
  return { notebook: withChanges({ ...notebook, hypotheses }, [added]), id }
}

/** A hypothesis in which nothing has been written. */
export function newHypothesis(id: string, title: string): Hypothesis {
  return {
    id,
    title,
    verdict: null,
    priority: 'medium',
    status: 'pending',
    statusNote: '',
    confidence: null,
    phase: 'later',
    description: '',
    rootCause: '',
    codeLocation: '',
    why: '',
    validation: [],
    invalidation: '',
    questions: '',
    alternatives: '',
    interactions: '',
    testing: '',
    related: '',
    results: '',
    notes: '',
    nextAction: '',
    evidence: [],
    file: null,
  }
}

export function removeHypothesis(notebook: Notebook, id: string, when: When): Notebook {
  const gone = notebook.hypotheses.find((each) => each.id === id)
  if (gone === undefined) return notebook
  const hypotheses = notebook.hypotheses.filter((each) => each !== gone)
  return withChanges({ ...notebook, hypotheses }, [removed('hypothesis', id, gone.title, when)])
}

/** An experiment under the next free number of its category. */
export function addExperiment(
  notebook: Notebook,
  category: Category,
  title: string,
  when: When,
): { notebook: Notebook; id: string } {
  const numbers = notebook.experiments
    .filter((each) => each.category === category)
    .map(({ id }) => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? 0))
  const id = `${category}${Math.max(0, ...numbers) + 1}`
  const added: Change = { at: when.at, of: { kind: 'experiment', id }, field: 'added', from: '', to: title, reason: '' }
  const experiments = [...notebook.experiments, newExperiment(id, category, title)]
  return { notebook: withChanges({ ...notebook, experiments }, [added]), id }
}

/** An experiment of which nothing but the title is known. */
export function newExperiment(id: string, category: Category, title: string): Experiment {
  return { id, category, title, parameters: [], command: '', outcome: '', notes: '', runs: [], tests: [], file: null }
}

export function removeExperiment(notebook: Notebook, id: string, when: When): Notebook {
  const gone = notebook.experiments.find((each) => each.id === id)
  if (gone === undefined) return notebook
  const experiments = notebook.experiments.filter((each) => each !== gone)
  return withChanges({ ...notebook, experiments }, [removed('experiment', id, gone.title, when)])
}

/** Links a run to an experiment; once, however often it is asked for. */
export function linkRun(notebook: Notebook, id: string, run: LinkedRun): Notebook {
  const experiment = notebook.experiments.find((each) => each.id === id)
  if (experiment === undefined || experiment.runs.some(({ dump }) => dump === run.dump)) return notebook
  return editExperiment(notebook, id, { runs: [...experiment.runs, run] }, { at: run.linkedAt })
}

export function unlinkRun(notebook: Notebook, id: string, dump: string, when: When): Notebook {
  const runs = notebook.experiments.find((each) => each.id === id)?.runs ?? []
  return editExperiment(notebook, id, { runs: runs.filter((run) => run.dump !== dump) }, when)
}

/** Hangs evidence on a hypothesis; the same id replaces what was there. */
export function pinEvidence(notebook: Notebook, id: string, evidence: Evidence, when: When): Notebook {
  const hypothesis = notebook.hypotheses.find((each) => each.id === id)
  if (hypothesis === undefined) return notebook
  const others = hypothesis.evidence.filter((each) => each.id !== evidence.id)
  const change = evidenceChange(id, '', evidence.title, when)
  return withChanges(replaceHypothesis(notebook, { ...hypothesis, evidence: [...others, evidence] }), [change])
}

export function unpinEvidence(notebook: Notebook, id: string, evidence: string, when: When): Notebook {
  const hypothesis = notebook.hypotheses.find((each) => each.id === id)
  const gone = hypothesis?.evidence.find((each) => each.id === evidence)
  if (hypothesis === undefined || gone === undefined) return notebook
  const kept = hypothesis.evidence.filter((each) => each !== gone)
  const change = evidenceChange(id, gone.title, '', when)
  return withChanges(replaceHypothesis(notebook, { ...hypothesis, evidence: kept }), [change])
}

/** What a change says of a value. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(entryText).join('\n')
  return String(value)
}

/** The history of one hypothesis or experiment, or of the problem (id ''), newest first. */
export function historyOf(notebook: Notebook, of: Change['of']): Change[] {
  return notebook.history.filter((change) => change.of.kind === of.kind && change.of.id === of.id).reverse()
}

function changesOf<T extends object>(of: Change['of'], before: T, fields: Partial<T>, when: When): Change[] {
  return (Object.keys(fields) as (keyof T & string)[]).flatMap((field): Change[] => {
    if (JSON.stringify(before[field]) === JSON.stringify(fields[field])) return []
    const [from, to] = [valueText(before[field]), valueText(fields[field])].map((text) => text.slice(0, LONGEST_KEPT))
    return [{ at: when.at, of, field, from: from ?? '', to: to ?? '', reason: when.reason ?? '' }]
  })
}

function withChanges(notebook: Notebook, changes: readonly Change[]): Notebook {
  const history = [...notebook.history]
  for (const change of changes) {
    const at = history.findLastIndex(({ of, field }) => sameEntry(of, change.of) && field === change.field)
    const last = history[at]
    if (last === undefined || !isOneGo(last, change)) {
      history.push(change)
      continue
    }
    history.splice(at, 1)
    if (last.from !== change.to) history.push({ ...change, from: last.from })
  }
  return { ...notebook, history }
}

/** A status or a priority is a decision each time; texts and lists are written over a while. */
function isOneGo(last: Change, next: Change): boolean {
  if (['status', 'priority', 'confidence', 'phase', 'added', 'removed', 'evidence'].includes(next.field)) return false
  if (last.reason !== '' || next.reason !== '') return false
  const apart = Date.parse(next.at) - Date.parse(last.at)
  return apart >= 0 && apart <= ONE_GO
}

function sameEntry(a: Change['of'], b: Change['of']): boolean {
  return a.kind === b.kind && a.id === b.id
}

function removed(kind: 'hypothesis' | 'experiment', id: string, title: string, when: When): Change {
  return { at: when.at, of: { kind, id }, field: 'removed', from: title, to: '', reason: when.reason ?? '' }
}

function evidenceChange(id: string, from: string, to: string, { at, reason = '' }: When): Change {
  return { at, of: { kind: 'hypothesis', id }, field: 'evidence', from, to, reason }
}

function entryText(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry)
  return Object.entries(entry)
    .filter(([name, value]) => name !== 'id' && value !== '')
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ')
}

function replaceHypothesis(notebook: Notebook, next: Hypothesis): Notebook {
  return { ...notebook, hypotheses: notebook.hypotheses.map((each) => (each.id === next.id ? next : each)) }
}

function replaceExperiment(notebook: Notebook, next: Experiment): Notebook {
  return { ...notebook, experiments: notebook.experiments.map((each) => (each.id === next.id ? next : each)) }
}
