import { CHECKS } from '../shared/checks/registry.ts'
import { storyOf } from '../shared/checks/reporting/stories.ts'
import { type CheckPage, checkPage, explainedBy } from '../shared/exports/check-page.ts'
import { inertJson } from '../shared/exports/json-text.ts'
import { FORMATS } from '../shared/formats/registry.ts'
import { KNOWN_DEFECTS } from '../shared/hypotheses/known-defects.ts'
import { HYPOTHESES } from '../shared/hypotheses/registry.ts'
import { closestName } from '../shared/model/closest-name.ts'
import { THRESHOLDS, thresholdsOf } from '../shared/model/thresholds/registry.ts'
import type { ParsedArguments } from './arguments.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { createTerminal, printTable, type Terminal } from './terminal.ts'

/** `formats`: the layouts that are recognised, and where each was read from. */
export async function listFormats({ paths, options }: ParsedArguments, io: CommandIo): Promise<Exit> {
  refusePaths(paths)
  const rows = FORMATS.map(({ id, title, writer, streams, policy, maskAlignment }) => ({
    id,
    title,
    writer,
    streams,
    policy: policy?.id ?? null,
    mask_alignment: maskAlignment,
  }))
  if (options.json === true) io.stdout.write(`${inertJson(rows)}\n`)
  else {
    const terminal = createTerminal(io.stdout, io.env)
    const column = Math.max(...rows.map(({ id }) => id.length)) + 2
    for (const { id, title, writer } of rows) {
      terminal.line([{ text: id.padEnd(column), style: 'strong' }, title], column)
      const from = `${' '.repeat(column)}read off ${writer.project}, ${writer.file}, ${writer.version}`
      terminal.line([{ text: from, style: 'soft' }], column)
    }
  }
  return Exit.ok
}

/** Whether a hypothesis or check is named: H06 names both that are numbered so. */
function isOf(id: string, named: string): boolean {
  return id.toUpperCase() === named.toUpperCase() || id.split('-')[0] === named.toUpperCase()
}

function isCheck(named: string): boolean {
  return CHECKS.some(({ code }) => code === named.toUpperCase())
}

/** Defects that no check names alone: V1 and those like it. */
const DEFECTS_BY_NAME = KNOWN_DEFECTS.map(({ id }) => id).filter((id) => !isCheck(id))

/** Codes of the checks that may fail because of a defect. */
function explains(defect: string): string[] {
  return CHECKS.map(({ code }) => code).filter((code) => explainedBy(code).some(({ id }) => id === defect))
}

/** `checks`: the faults that are looked for, why each matters, what each needs, and by which numbers it decides; the same of hypotheses and of defects that are named. */
export async function listChecks({ paths, options }: ParsedArguments, io: CommandIo): Promise<Exit> {
  const hypotheses = HYPOTHESES.filter(({ id }) => paths.some((path) => isOf(id, path)))
  const defects = KNOWN_DEFECTS.filter(({ id }) => !isCheck(id) && paths.some((path) => path.toUpperCase() === id))
  const unknown = paths.find(
    (path) =>
      !isCheck(path) &&
      !hypotheses.some(({ id }) => isOf(id, path)) &&
      !defects.some(({ id }) => id === path.toUpperCase()),
  )
  if (unknown !== undefined) {
    const ids = [...CHECKS.map(({ code }) => code), ...HYPOTHESES.map(({ id }) => id), ...DEFECTS_BY_NAME]
    // A letter and a number are too short to be guessed by edits: M1 is M01.
    const padded = unknown.toUpperCase().replace(/^([A-Z])(\d)$/, '$10$2')
    const meant = ids.find((id) => isOf(id, padded)) ?? closestName(unknown.toUpperCase(), ids)
    const guess = meant === undefined || meant === null ? '' : ` Did you mean ${meant}?`
    throw new UsageError(
      `There is no check, defect or hypothesis ${unknown}.${guess} \`checks\` alone lists the checks.`,
    )
  }
  const wanted = new Set(paths.map((path) => path.toUpperCase()))
  const rows = CHECKS.filter(({ code }) => wanted.size === 0 || wanted.has(code)).map(
    ({ code, name, title, hypotheses, severity, unit, needs, looksAt, why, fix, cite }) => ({
      code,
      name,
      title,
      hypotheses,
      severity,
      unit,
      needs,
      looks_at: looksAt,
      why,
      fix,
      cite,
      trips: storyOf(code)?.trips ?? null,
      near_miss: storyOf(code)?.nearMiss ?? null,
      defects: explainedBy(code).map(({ id }) => id),
      thresholds: thresholdRows(code),
    }),
  )
  const verdicts = hypotheses.map(({ id, title, claim }) => ({ id, title, claim, thresholds: thresholdRows(id) }))
  const causes = defects.map(({ id, title, why, fix, cite }) => ({ id, title, why, fix, cite, checks: explains(id) }))
  if (options.json === true) io.stdout.write(`${inertJson([...rows, ...verdicts, ...causes])}\n`)
  else if (wanted.size > 0) {
    const terminal = createTerminal(io.stdout, io.env)
    for (const [at, { code }] of rows.entries()) {
      const page = checkPage(code)
      if (at > 0) terminal.line()
      if (page !== null) printPage(terminal, page)
    }
    for (const { id, title, claim, thresholds } of verdicts) {
      terminal.line([{ text: `${id} ${title}`, style: 'strong' }], 4)
      terminal.line(`    ${claim}`, 4)
      printThresholds(terminal, thresholds)
    }
    for (const { id, title, why, fix, cite, checks } of causes) {
      terminal.line([{ text: `${id} ${title}`, style: 'strong' }], 4)
      for (const [heading, text] of [
        ['Why it matters', why],
        ['Usual fix', fix],
        ['Checks that fail because of it', checks.join(', ')],
        ['Seen in', cite],
      ] as const) {
        terminal.line([{ text: `  ${heading}`, style: 'strong' }], 4)
        terminal.line(`    ${text}`, 6)
      }
    }
  } else {
    printTable(
      createTerminal(io.stdout, io.env),
      ['code', 'severity', 'needs', 'fault'],
      rows.map(({ code, severity, needs, title }) => [code, severity, needs.join(', '), title]),
    )
  }
  return Exit.ok
}

/** The page of docs/checks on a terminal. */
function printPage(terminal: Terminal, { code, title, facts, sections }: CheckPage): void {
  terminal.line([{ text: `${code} ${title}`, style: 'strong' }], 4)
  for (const { term, value } of facts) terminal.line([{ text: `  ${term}: `, style: 'soft' }, value], 4)
  for (const { heading, items } of sections) {
    terminal.line([{ text: `  ${heading}`, style: 'strong' }], 4)
    for (const { name, text } of items) {
      terminal.line(name === null ? [`    ${text}`] : [{ text: `    ${name}: `, style: 'strong' }, text], 6)
    }
  }
}

interface ThresholdRow {
  readonly id: string
  readonly default: number
  readonly unit: string
  readonly range: readonly [number, number]
  readonly reason: string
}

function thresholdRows(codeOrHypothesis: string): ThresholdRow[] {
  return thresholdsOf(codeOrHypothesis).map((id) => {
    const { value, unit, range, reason } = THRESHOLDS[id]
    return { id, default: value, unit, range, reason }
  })
}

function printThresholds(terminal: Terminal, thresholds: readonly ThresholdRow[]): void {
  if (thresholds.length === 0) return
  terminal.line('    Thresholds (--threshold ID=VALUE):', 4)
  for (const { id, default: usual, unit, range, reason } of thresholds) {
    terminal.line([{ text: `      ${id} `, style: 'strong' }, `${usual} ${unit}, ${range[0]} to ${range[1]}`], 8)
    terminal.line([{ text: `        ${reason}`, style: 'soft' }], 8)
  }
}

function refusePaths(paths: readonly string[]): void {
  if (paths.length > 0) throw new UsageError(`${paths[0]}: this command takes no file.`)
}
