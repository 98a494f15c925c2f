import { newHypothesis } from '../edit.ts'
import type { Experiment, Hypothesis, Notebook, NotebookFolder, Page, Problem } from '../model.ts'
import { newNotebook } from '../new-notebook.ts'
import { readyHypotheses } from '../ready/hypotheses.ts'
import { evidencePages, isPinnedOn } from './evidence-pages.ts'
import { experimentOf, keptOutOfLog, readExperiments, writeExperiments } from './experiments-page.ts'
import { readHypothesisPage, type StatedHypothesis, writeHypothesisPage } from './hypothesis-page.ts'
import { readProblem, writeProblem } from './problem-page.ts'
import { canMove, type ReadmeChange, type ReadmeEntry, readReadme, writeReadme } from './readme-page.ts'
import { EXPERIMENTS, PROBLEM, README } from './recognise.ts'

const READY = readyHypotheses()

const HYPOTHESIS = /^hypotheses\/h\d{1,3}[-_.].*md$/i
/** Rows and roadmap entries of a README that are looked at. */
const MOST_ENTRIES = 1000
const MOST_PROBLEMS_TOLD = 50

/** What a folder says, put into the words of a notebook. */
interface Content {
  readonly hypotheses: readonly { readonly base: Hypothesis; readonly stated: StatedHypothesis }[]
  readonly experiments: readonly Experiment[]
  readonly problem: Partial<Problem>
  readonly told: readonly string[]
}

/** Reads a folder into the notebook. What the folder does not speak of stays; `told` are sentences for the person. */
export function importFolder(
  notebook: Notebook,
  folder: NotebookFolder,
): { readonly notebook: Notebook; readonly told: readonly string[] } {
  const content = contentOf(folder)
  const told = [...content.told]
  const hypotheses = notebook.hypotheses.map((known) => ({ ...known, file: null }) as Hypothesis)
  for (const { base } of content.hypotheses) {
    const at = hypotheses.findIndex(({ id }) => id === base.id)
    if (at === -1) hypotheses.push(base)
    else {
      const known = hypotheses[at] as Hypothesis
      hypotheses[at] = { ...merged(notebook, 'hypothesis', known, base), evidence: known.evidence }
    }
  }
  const experiments = notebook.experiments.map((known) => ({ ...known, file: null }) as Experiment)
  for (const stated of content.experiments) {
    const at = experiments.findIndex(({ id }) => id === stated.id)
    const known = experiments[at]
    if (known === undefined) experiments.push(stated)
    else experiments[at] = { ...merged(notebook, 'experiment', known, stated), runs: known.runs, tests: known.tests }
  }
  const problem = { ...notebook.problem, ...content.problem }
  const met = new Map(notebook.problem.criteria.map((criterion) => [criterion.text, criterion.met]))
  const criteria = problem.criteria.map((criterion) => ({
    ...criterion,
    met: met.get(criterion.text) ?? criterion.met,
  }))
  const of = { kind: 'notebook' as const, id: '' }
  const imported = { at: folder.importedAt, of, field: 'imported', from: '', to: folder.name, reason: '' }
  const history = [...notebook.history, imported]
  return {
    notebook: { ...notebook, hypotheses, experiments, problem: { ...problem, criteria }, history, folder },
    told,
  }
}

/** The folder counts, but for what a person wrote into the notebook and the page says nothing of. */
function merged<T extends Hypothesis | Experiment>(notebook: Notebook, kind: string, known: T, stated: T): T {
  const written = new Set(
    notebook.history.filter(({ of }) => of.kind === kind && of.id === known.id).map(({ field }) => field),
  )
  const kept = Object.entries(stated).flatMap(([field, value]): [string, unknown][] => {
    const says = Array.isArray(value) ? value.length > 0 : value !== null && value !== ''
    return written.has(field) && !says ? [[field, known[field as keyof T]]] : []
  })
  return { ...stated, ...Object.fromEntries(kept) }
}

/** What was written, and what could not be. */
export interface WrittenFolder {
  /** Pages that are new or no longer as they were imported. */
  readonly pages: readonly Page[]
  readonly told: readonly string[]
}

/**
 * The pages of the folder in which something changed since they were read, and pages for what is new. Of a page only the parts
 * change that hold what was changed; a notebook that was never in a folder is written whole.
 */
export function writeFolder(notebook: Notebook): WrittenFolder {
  const folder = notebook.folder ?? emptyFolder()
  const content = contentOf(folder)
  const pages = new Map(folder.pages.map(({ path, text }) => [path, text]))
  const told: string[] = []
  const changes: ReadmeChange[] = []
  const readme = [...pages.keys()].find((path) => README.test(path))
  for (const { base } of content.hypotheses) {
    const now = notebook.hypotheses.find(({ file }) => file === base.file)
    if (now === undefined || base.file === null) {
      told.push(`${base.file} is left as it is: its hypothesis is no longer in the notebook.`)
      continue
    }
    pages.set(base.file, writeHypothesisPage(pages.get(base.file) ?? '', base, now))
    const change = {
      before: base,
      now,
      matches: (entry: { number: string; title: string }) => isOf(entry, base, content),
    }
    changes.push(change)
    if (now.phase !== base.phase && (readme === undefined || !canMove(pages.get(readme) ?? '', change))) {
      told.push(`The phase of ${now.id} is kept in the notebook only: the README’s roadmap has no place to move it to.`)
    }
  }
  const fresh = notebook.hypotheses.filter((each) => each.file === null && isToWrite(notebook, each))
  for (const hypothesis of fresh) {
    const path = freePath(pages, hypothesis)
    const { id, title, priority } = hypothesis
    const heading = `# Hypothesis ${numberOf(id)}: ${title}\n\n## Priority: ${priority.toUpperCase()}\n\n## Current Status: PENDING\n`
    pages.set(path, writeHypothesisPage(heading, { ...newHypothesis(id, title), priority }, hypothesis))
  }
  if (readme !== undefined) pages.set(readme, writeReadme(pages.get(readme) ?? '', changes, fresh))
  writeRest(notebook, content, pages)
  told.push(...leftInLog(notebook, content, pages), ...leftOnEvidencePages(notebook, pages))
  told.push(...keptOutOfLog(notebook.experiments))
  for (const { path, text } of evidencePages(notebook.hypotheses, pages)) pages.set(path, text)
  const before = new Map((notebook.folder?.pages ?? []).map(({ path, text }) => [path, text]))
  const changed = [...pages].filter(([path, text]) => before.get(path) !== text)
  return { pages: changed.map(([path, text]) => ({ path, text })), told: told.slice(0, MOST_PROBLEMS_TOLD) }
}

function writeRest(notebook: Notebook, content: Content, pages: Map<string, string>): void {
  const problem = [...pages.keys()].find((path) => PROBLEM.test(path))
  // Criteria that came with the notebook are not pushed into somebody's page.
  const { problem: empty } = newNotebook()
  const was = { ...empty, ...(notebook.folder === null ? { criteria: [] } : {}), ...content.problem }
  if (problem !== undefined) pages.set(problem, writeProblem(pages.get(problem) ?? '', was, notebook.problem))
  const log = [...pages.keys()].find((path) => EXPERIMENTS.test(path))
  if (log === undefined) return
  const known = new Map(content.experiments.map((each) => [each.id, each]))
  const changes = notebook.experiments.flatMap((now) => {
    const before = known.get(now.id)
    return before === undefined ? [] : [{ before, now }]
  })
  const fresh = notebook.experiments.filter(({ id }) => !known.has(id))
  pages.set(log, writeExperiments(pages.get(log) ?? '', changes, fresh))
}

/** Experiments that were taken out of the notebook: nothing is deleted from somebody's log, which is told. */
function leftInLog(notebook: Notebook, content: Content, pages: ReadonlyMap<string, string>): string[] {
  const log = [...pages.keys()].find((path) => EXPERIMENTS.test(path))
  const left = content.experiments.filter(({ id }) => !notebook.experiments.some((each) => each.id === id))
  return left.map(({ id }) => `${id} stays in ${log} as it is: it is no longer in the notebook.`)
}

/** Pins that were taken off likewise: a page of evidence may be what others pinned to, or wrote on. */
function leftOnEvidencePages({ history, hypotheses }: Notebook, pages: ReadonlyMap<string, string>): string[] {
  const told = new Set<string>()
  for (const { of, field, from, to } of history) {
    if (of.kind !== 'hypothesis' || field !== 'evidence' || from === '' || to !== '') continue
    const isBack = hypotheses.some(({ id, evidence }) => id === of.id && evidence.some(({ title }) => title === from))
    if (isBack) continue
    for (const [path, text] of pages)
      if (path.startsWith('evidence/') && isPinnedOn(text, of.id, from))
        told.add(
          `${path} still has “${from.slice(0, 80)}”, which was taken off ${of.id}: delete it there if it is to go.`,
        )
  }
  return [...told]
}

/** Takes what was written as what the folder now holds. */
export function asWritten(notebook: Notebook, written: readonly Page[], at: string): Notebook {
  const folder = notebook.folder ?? { ...emptyFolder(), name: 'notebook' }
  const pages = new Map([...folder.pages, ...written].map((page) => [page.path, page]))
  const next = { ...folder, pages: [...pages.values()], importedAt: at }
  const content = contentOf(next)
  const files = new Map(content.hypotheses.map(({ base }) => [base.id, base.file]))
  const hypotheses = notebook.hypotheses.map((each) => ({ ...each, file: files.get(each.id) ?? null }) as Hypothesis)
  const log = [...pages.keys()].find((path) => EXPERIMENTS.test(path)) ?? null
  const experiments = notebook.experiments.map((each) => ({ ...each, file: log }) as Experiment)
  return { ...notebook, hypotheses, experiments, folder: next }
}

/** Ready hypotheses that nobody touched are not pushed into somebody's folder. */
function isToWrite(notebook: Notebook, { id }: Hypothesis): boolean {
  return notebook.folder === null || notebook.history.some(({ of }) => of.kind === 'hypothesis' && of.id === id)
}

function contentOf(folder: NotebookFolder): Content {
  const readme = folder.pages.find(({ path }) => README.test(path))
  const entries = readme === undefined ? [] : readReadme(readme.text).slice(0, MOST_ENTRIES)
  const taken = new Set<string>()
  const hypotheses: { base: Hypothesis; stated: StatedHypothesis }[] = []
  const told: string[] = []
  for (const { path, text } of folder.pages) {
    if (!HYPOTHESIS.test(path)) continue
    const read = readHypothesisPage(text)
    if (read === null) {
      told.push(`${path} is kept as it is: it has no heading such as “# Hypothesis H02: …”.`)
      continue
    }
    const same = READY.find(
      ({ id, title }) => numberOf(id) === read.stated.number && areAlike(title, read.stated.title),
    )
    const id = freeId(same?.id ?? read.stated.number, read.stated, same !== undefined, taken)
    taken.add(id)
    const own = newHypothesis(id, read.stated.title)
    const { number: _number, ...stated } = read.stated
    const base: Hypothesis = {
      ...own,
      ...stated,
      validation: [...(stated.validation ?? [])],
      verdict: same?.id === id ? same.verdict : null,
      phase: same?.phase ?? own.phase,
      file: path,
    }
    hypotheses.push({ base, stated: read.stated })
  }
  const content = { hypotheses, entries }
  const complete = hypotheses.map(({ base, stated }) => {
    const [said, others] = readmeOf(entries, base, content)
    told.push(...disagreements(base, stated, said, others))
    return { base: withReadme(base, stated, said), stated }
  })
  const log = folder.pages.find(({ path }) => EXPERIMENTS.test(path))
  const problem = folder.pages.find(({ path }) => PROBLEM.test(path))
  return {
    hypotheses: complete,
    experiments: log === undefined ? [] : readExperiments(log.text).map((each) => experimentOf(each, log.path)),
    problem: problem === undefined ? {} : readProblem(problem.text),
    told,
  }
}

function readmeOf(
  entries: readonly ReadmeEntry[],
  base: Hypothesis,
  content: Pick<Content, 'hypotheses'>,
): [Partial<ReadmeEntry>, readonly ReadmeEntry[]] {
  const own = entries.filter((entry) => isOf(entry, base, content))
  return [Object.assign({}, ...own), own]
}

/** What the page itself leaves open, the README may say. */
function withReadme(base: Hypothesis, stated: StatedHypothesis, said: Partial<ReadmeEntry>): Hypothesis {
  return {
    ...base,
    ...(stated.priority === undefined && said.priority !== undefined ? { priority: said.priority } : {}),
    ...(stated.status === undefined && said.status !== undefined
      ? { status: said.status, statusNote: said.statusNote ?? '' }
      : {}),
    ...(stated.confidence === undefined && said.confidence !== undefined ? { confidence: said.confidence } : {}),
    ...(said.phase === undefined ? {} : { phase: said.phase }),
  }
}

function disagreements(
  base: Hypothesis,
  stated: StatedHypothesis,
  said: Partial<ReadmeEntry>,
  entries: readonly ReadmeEntry[],
): string[] {
  const differ = stated.status !== undefined && said.status !== undefined && stated.status !== said.status
  if (entries.length === 0 || !differ) return []
  return [`The README calls ${base.id} ${said.status}, its own page calls it ${stated.status}: the page counts.`]
}

/** Whether a row of the README is about this hypothesis: by number, and by title where several have the number. */
function isOf(
  entry: { readonly number: string; readonly title: string },
  base: Hypothesis,
  content: Pick<Content, 'hypotheses'>,
): boolean {
  if (numberOf(base.id) !== entry.number) return false
  const rivals = content.hypotheses.filter((each) => numberOf(each.base.id) === entry.number)
  const isShared = READY.filter(({ id }) => numberOf(id) === entry.number).length > 1
  if (rivals.length === 1 && (!isShared || entry.title === '')) return true
  const best = rivals.toSorted((a, b) => likeness(b.base.title, entry.title) - likeness(a.base.title, entry.title))
  return best[0]?.base.id === base.id && likeness(base.title, entry.title) > 0
}

function freeId(wanted: string, stated: StatedHypothesis, isReady: boolean, taken: ReadonlySet<string>): string {
  const isReserved = !isReady && READY.some(({ id }) => id === wanted)
  if (!taken.has(wanted) && !isReserved) return wanted
  const named = `${stated.number}-${slug(stated.title)}`
  let id = named
  for (let more = 2; taken.has(id) || READY.some((each) => each.id === id); more++) id = `${named}-${more}`
  return id
}

function freePath(pages: ReadonlyMap<string, string>, { id, title }: Hypothesis): string {
  const name = `hypotheses/${numberOf(id).toLowerCase()}-${slug(title)}`
  let path = `${name}.md`
  for (let more = 2; pages.has(path); more++) path = `${name}-${more}.md`
  return path
}

function slug(title: string): string {
  const plain = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return plain.slice(0, 60) || 'untitled'
}

function numberOf(id: string): string {
  return /^H\d+/.exec(id)?.[0] ?? id
}

/** Words that titles share and that tell nothing apart. */
const COMMON = new Set([
  'the',
  'and',
  'of',
  'in',
  'vs',
  'versus',
  'issue',
  'issues',
  'error',
  'errors',
  'bug',
  'problem',
])

function wordsOf(title: string): Set<string> {
  const words = title.toLowerCase().match(/[a-z0-9]{2,}/g) ?? []
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 4)))
}

function likeness(a: string, b: string): number {
  const [one, other] = [wordsOf(a), wordsOf(b)]
  return [...one].filter((word) => other.has(word)).length
}

function areAlike(a: string, b: string): boolean {
  return likeness(a, b) > 0
}

/** The layout with nothing in it. */
function emptyFolder(): NotebookFolder {
  const readme = [
    '# Debugging notebook',
    '',
    '## Current Status Summary',
    '',
    '| Hypothesis | Priority | Status | Confidence | Notes |',
    '|------------|----------|--------|------------|-------|',
    '',
  ].join('\n')
  const pages = [
    { path: 'README.md', text: readme },
    { path: '00-problem-statement.md', text: '# Problem statement\n' },
    { path: '01-experiments-log.md', text: '# Experiments log\n\n## Experiment Categories\n' },
  ]
  return { name: 'notebook', pages, others: [], importedAt: new Date(0).toISOString() }
}
