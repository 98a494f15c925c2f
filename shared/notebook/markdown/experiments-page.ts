import { clipped } from '../../model/clipped.ts'
import { newExperiment } from '../edit.ts'
import { CATEGORIES, type Category, type Experiment } from '../model.ts'
import { type Bound, block, inline, inserted, normal, oneLine, type Splice, spliced, withEnding } from './bound.ts'
import { type Label, lineFrom, type ParsedPage, parsePage, type Section } from './page.ts'

/** What the log states of an experiment; links and tests are the notebook's own. */
export type StatedExperiment = Pick<
  Experiment,
  'id' | 'category' | 'title' | 'parameters' | 'command' | 'outcome' | 'notes'
>

const CATEGORY = /^([A-G])[.):]\s*/
const EXPERIMENT = /^(?:experiment\s+)?([A-G]\d{1,3})\b[.):]*\s*/i
const OUTCOME = /^(?:outcome|results?|issues?|(?:common )?pattern|observations?)$/
const NOTES = /^notes?$/
const COMMAND = /^(?:(?:base )?command(?: pattern)?|flags)$/

const CATEGORY_TITLES: Readonly<Record<Category, string>> = {
  A: 'LoRA',
  B: 'No PEFT',
  C: 'Other models',
  D: 'Hyperparameters',
  E: 'Dataset',
  F: 'Infrastructure',
  G: 'Stable settings',
}

/** What a category of the log is about, unless the log itself names it otherwise. */
export function categoryTitle(category: Category): string {
  return CATEGORY_TITLES[category]
}

interface Place {
  readonly id: string
  readonly category: Category
  readonly section: Section
  readonly title: Bound
  readonly parameters: readonly { readonly name: string; readonly label: Label; readonly value: Bound }[]
  readonly command: Bound | null
  readonly outcome: Bound | null
  readonly notes: Bound | null
  readonly end: number
}

/** What is known of experiments that a log has no place for, as a sentence each. */
export function keptOutOfLog(experiments: readonly Experiment[]): string[] {
  const listed = (of: readonly Experiment[]) => clipped(of.map(({ id }) => id).join(', '), 200)
  const [testing, linked] = [
    experiments.filter(({ tests }) => tests.length > 0),
    experiments.filter(({ runs }) => runs.length > 0),
  ]
  const told: string[] = []
  if (testing.length > 0) told.push(`Which hypotheses ${listed(testing)} ${testing.length === 1 ? 'tests' : 'test'}`)
  if (linked.length > 0) told.push(`${told.length === 0 ? 'Which' : 'which'} runs are linked to ${listed(linked)}`)
  if (told.length === 0) return []
  return [
    `${told.join(', and ')}, is not in the folder: a log of experiments has no place for it, the saved notebook has.`,
  ]
}

/** Reads the experiments of a log; of several under one id the first counts. */
export function readExperiments(text: string): StatedExperiment[] {
  return placesOf(parsePage(text)).map(stated)
}

/** The log with the fields rewritten that are not as before, and experiments added that it does not have. */
export function writeExperiments(
  text: string,
  changes: readonly { readonly before: Experiment; readonly now: Experiment }[],
  fresh: readonly Experiment[],
): string {
  const page = parsePage(text)
  const places = placesOf(page)
  const splices: Splice[] = []
  for (const { before, now } of changes) {
    const place = places.find(({ id }) => id === now.id)
    if (place !== undefined) splices.push(...writeExperiment(page, place, before, now))
  }
  return addExperiments(spliced(text, splices), fresh)
}

function stated(place: Place): StatedExperiment {
  return {
    id: place.id,
    category: place.category,
    title: place.title.value,
    parameters: place.parameters.map(({ name, value }) => ({ name, value: value.value })),
    command: place.command?.value ?? '',
    outcome: place.outcome?.value ?? '',
    notes: place.notes?.value ?? '',
  }
}

function placesOf(page: ParsedPage): Place[] {
  const found = new Map<string, Place>()
  page.sections.forEach((section, at) => {
    const own = EXPERIMENT.exec(section.title)
    if (own !== null) {
      const id = (own[1] as string).toUpperCase()
      if (!found.has(id)) found.set(id, placeAt(page, section, id, own[0].length, section.end))
      return
    }
    const category = CATEGORY.exec(section.title)
    if (category === null) return
    const next = page.sections[at + 1]
    const hasParts = next !== undefined && next.start < section.end && EXPERIMENT.test(next.title)
    const id = category[1] as string
    const isTold = page.text.slice(section.body, section.ownEnd).trim() !== ''
    if (!hasParts && isTold && !found.has(id))
      found.set(id, placeAt(page, section, id, category[0].length, section.end))
  })
  return [...found.values()]
}

function placeAt(page: ParsedPage, section: Section, id: string, lead: number, end: number): Place {
  const labels = page.labels.filter(({ start }) => start >= section.body && start < end)
  const value = (label: Label) =>
    label.isItem ? inline(page, label.value, label.lineEnd) : labelText(page, label, end)
  const named = (name: RegExp) => labels.find((label) => name.test(label.name))
  const [outcome, notes] = [named(OUTCOME), named(NOTES)]
  const parameters = labels.flatMap((label) => {
    if (label === outcome || label === notes || COMMAND.test(label.name)) return []
    const bound = inline(page, label.value, label.lineEnd)
    const name = page.text.slice(label.start, label.value).match(/\*\*([^*]+?):?\*\*/)?.[1] ?? label.name
    // A label over a list or a block is a text of its own.
    return bound.value === '' ? [] : [{ name, label, value: bound }]
  })
  return {
    id,
    category: id[0] as Category,
    section,
    title: inline(page, section.titleStart + lead, section.titleEnd),
    parameters,
    command: commandOf(page, section.body, end),
    outcome: outcome === undefined ? null : value(outcome),
    notes: notes === undefined ? null : value(notes),
    end,
  }
}

function labelText(page: ParsedPage, label: Label, end: number): Bound {
  const next = page.labels.find(({ start }) => start > label.start)?.start ?? end
  const section = page.sections.find(({ start }) => start > label.start)?.start ?? end
  const until = Math.min(next, section, end)
  const raw = page.text.slice(label.value, until)
  if (raw.trim() === '') return inline(page, label.value, label.lineEnd)
  return block(page, label.value + (raw.length - raw.trimStart().length), until, 6)
}

/** The inside of the first fenced block. */
function commandOf(page: ParsedPage, from: number, to: number): Bound | null {
  let at = lineFrom(page, from)
  while (at < page.lines.length && page.lines[at]?.fence !== 'opens' && (page.lines[at]?.start ?? to) < to) at++
  const opens = page.lines[at]
  if (opens === undefined || opens.start >= to) return null
  do at++
  while (at < page.lines.length && page.lines[at]?.fence !== 'closes')
  const start = opens.next
  const closing = page.lines[at]?.start ?? page.text.length
  const raw = page.text.slice(start, closing)
  const end = start + raw.replace(/\r?\n$/, '').length
  return {
    value: normal(page.text.slice(start, end)),
    write(value) {
      // A fence in the command would end the block.
      const text = withEnding(value.trimEnd().replace(/^( {0,3})(`{3,}|~{3,})/gm, '$1# $2'), page.ending)
      return { start, end, text: start === closing && text !== '' ? text + page.ending : text }
    },
  }
}

function writeExperiment(page: ParsedPage, place: Place, before: Experiment, now: Experiment): Splice[] {
  const splices: Splice[] = []
  const lines: string[] = []
  if (now.title !== before.title) splices.push(place.title.write(now.title))
  if (JSON.stringify(now.parameters) !== JSON.stringify(before.parameters)) {
    const left = [...place.parameters]
    for (const { name, value } of now.parameters) {
      const at = left.findIndex((each) => each.name === name)
      const [there] = at === -1 ? [] : left.splice(at, 1)
      if (there === undefined) lines.push(`- **${oneLine(name)}**: ${oneLine(value)}`)
      else if (there.value.value !== value) splices.push(there.value.write(value))
    }
    for (const { label } of left) splices.push({ start: label.start, end: label.next, text: '' })
  }
  const blocks: string[] = []
  if (now.command !== before.command) {
    if (place.command !== null) splices.push(place.command.write(now.command))
    else if (now.command !== '') blocks.push(commandText(now.command))
  }
  for (const [name, field] of [
    ['Outcome', 'outcome'],
    ['Notes', 'notes'],
  ] as const) {
    if (now[field] === before[field]) continue
    const there = place[field]
    if (there !== null) splices.push(there.write(now[field]))
    else if (now[field] !== '') blocks.push(`**${name}**: ${now[field].trim()}`)
  }
  const last = place.parameters.at(-1)?.label
  if (lines.length > 0 && last !== undefined) {
    const apart = last.next === last.lineEnd ? page.ending : ''
    splices.push({ start: last.next, end: last.next, text: apart + lines.map((line) => line + page.ending).join('') })
  } else if (lines.length > 0) splices.push(inserted(page, place.section.body, lines.join('\n')))
  if (blocks.length > 0) splices.push(inserted(page, place.end, blocks.join('\n\n')))
  return splices
}

/** Puts each at the end of its category, under a heading one deeper than that. */
function addExperiments(text: string, fresh: readonly Experiment[]): string {
  let written = text
  for (const category of CATEGORIES) {
    const added = fresh.filter((each) => each.category === category)
    if (added.length === 0) continue
    const page = parsePage(written)
    const categories = page.sections.filter(({ title }) => CATEGORY.test(title))
    const own = categories.find(({ title }) => title.startsWith(category))
    const marks = '#'.repeat(Math.min(6, (own ?? categories[0])?.level ?? 3))
    const texts = added.map((experiment) => experimentText(experiment, `${marks}#`.slice(0, 6)))
    const heading = own === undefined ? [`${marks} ${category}. ${CATEGORY_TITLES[category]}`] : []
    const before = categories.findLast(({ title }) => title.charAt(0) < category)
    const at = own?.end ?? before?.end ?? categories[0]?.start ?? page.text.length
    written = spliced(written, [inserted(page, at, [...heading, ...texts].join('\n\n'))])
  }
  return written
}

function experimentText(experiment: Experiment, marks: string): string {
  const { id, title, parameters, command, outcome, notes } = experiment
  const lines = parameters.map(({ name, value }) => `- **${oneLine(name)}**: ${oneLine(value)}`)
  return [
    `${marks} ${id}. ${oneLine(title)}`,
    lines.join('\n'),
    command === '' ? '' : commandText(command),
    outcome === '' ? '' : `**Outcome**: ${outcome.trim()}`,
    notes === '' ? '' : `**Notes**: ${notes.trim()}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function commandText(command: string): string {
  return `\`\`\`bash\n${command.trimEnd().replace(/^( {0,3})(`{3,}|~{3,})/gm, '$1# $2')}\n\`\`\``
}

/** An experiment as the log states it, with nothing of the notebook's own. */
export function experimentOf(from: StatedExperiment, file: string): Experiment {
  return { ...newExperiment(from.id, from.category, from.title), ...from, file }
}
