import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../cli/command-line.ts'

const page = readFileSync('docs/report.md', 'utf8')

/** Paths that stand in the first column of a table: `checks[].by_boundary{}.checked`. */
const documented = new Set(
  [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path as string),
  ),
)

/** Objects that differ by check, or are this program's own: named on the page, and not taken apart. */
const WHOLE = ['checks[].context', 'findings[].evidence', 'aggregates.state', 'findings[].tokens']

const folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-report-'))
let reports: unknown[] = []

beforeAll(async () => {
  const fixtures = resolve('test/fixtures')
  const sample = resolve('samples/verifiers-2025-08.jsonl.gz')
  writeFileSync(join(folder, 'damaged.jsonl'), '{"input_ids": [1, 2], "loss_mask": [0, 1]}\n{"input_ids": [1, \n')
  writeFileSync(join(folder, 'diary.jsonl'), 'Dear diary,\n')
  const runs = [
    [sample, '--against', resolve('samples/clean-qwen2.5.jsonl.gz')],
    [sample, '--policy', 'last-turn', '--max-turns', '3', '--threshold', 'near-limit-tokens=20'],
    [folder],
    [join(fixtures, 'joined', 'prime-rl-traces'), join(fixtures, 'run-logs')],
    [join(fixtures, 'formats', 'trl'), '--tokenizer', 'qwen2.5', '--render-texts'],
  ]
  for (const [at, run] of runs.entries()) {
    const out = join(folder, `report-${at}.json.out`)
    const { err } = await commandLine(['inspect', ...run, '--json', out], { directory: folder })
    expect(err).not.toContain('Usage')
    reports = [...reports, JSON.parse(readFileSync(out, 'utf8'))]
  }
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** Paths of all values of a report, as the page writes them. */
function pathsOf(value: unknown, path = '', found = new Set<string>()): Set<string> {
  if (WHOLE.includes(path)) return found.add(path)
  if (Array.isArray(value)) {
    if (value.length === 0 || typeof value[0] !== 'object') found.add(documented.has(path) ? path : `${path}[]`)
    else for (const item of value) pathsOf(item, `${path}[]`, found)
    return found
  }
  if (value === null || typeof value !== 'object') return found.add(path)
  for (const [key, item] of Object.entries(value)) {
    const named = path === '' ? key : `${path}.${key}`
    pathsOf(item, isOnPage(named) || !isOnPage(`${path}{}`) ? named : `${path}{}`, found)
  }
  return found
}

/** A path, or the beginning of one. A limit is named and has its fields under any name. */
function isOnPage(path: string): boolean {
  if (/^limits\.\w+$/.test(path)) return false
  return [...documented].some((known) => known === path || known.startsWith(`${path}.`) || known.startsWith(`${path}[`))
}

const isCovered = (path: string) => documented.has(path) || isOnPage(path) || isOnPage(path.replace(/\[\]$/, ''))

describe('docs/report.md', () => {
  test('names every field of real reports', () => {
    const seen = new Set(reports.flatMap((report) => [...pathsOf(report)]))
    expect(seen.size).toBeGreaterThan(120)
    expect([...seen].filter((path) => !isCovered(path))).toEqual([])
  })

  test('names every field that a report can have, and no other', () => {
    const names = (path: string, from: RegExp, to?: RegExp) => {
      const source = readFileSync(path, 'utf8')
      const part = source.slice(source.search(from), to === undefined ? undefined : source.search(to))
      return [...part.matchAll(/(?<=^\s+|[{;] )(?:readonly )?(\w+)\??: /gm)].map(([, name]) => name as string)
    }
    const declared = new Set([
      ...names('shared/model/report.ts', /export interface Count/),
      ...names('shared/model/policy.ts', /export interface Policy/, /\/\*\* In `AuditOptions/),
      ...names('shared/model/source.ts', /export interface Place/),
      ...names('shared/model/streams.ts', /export interface Limits/, /export type LimitName/),
      ...names('shared/hypotheses/aggregates.ts', /export interface Aggregates/, /const TOKEN_SUMS/),
      ...['turns', 'total', 'trained', 'masked', 'padding', 'unknown', 'lost', 'state'],
    ])
    const told = new Set([...documented].flatMap((path) => path.split(/[.[\]{}]+/).filter((name) => name !== '')))
    expect([...declared].filter((name) => !told.has(name))).toEqual([])
    const fields = [...documented].filter((path) => /[.[{]/.test(path) && !path.startsWith('rollout-inspector.'))
    const last = fields.map((path) => path.split(/[.[\]{}]+/).findLast((name) => name !== '') as string)
    expect(last.filter((name) => !declared.has(name))).toEqual([])
  })

  test('names the files that the program writes by their schemas', async () => {
    const sources = import.meta.glob<string>(
      ['../../shared/**/*.ts', '../../renderer/**/*.{ts,tsx}', '../../electron/**/*.ts'],
      {
        eager: true,
        query: '?raw',
        import: 'default',
      },
    )
    const schemas = new Set(Object.values(sources).flatMap((text) => text.match(/rollout-inspector\.\w+\/\d+/g) ?? []))
    expect(schemas.size).toBeGreaterThan(4)
    expect([...schemas].filter((schema) => !page.includes(schema))).toEqual([])
  })
})
