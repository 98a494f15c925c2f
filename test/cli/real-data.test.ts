import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { realData } from '../helpers/real-data.ts'
import { commandLine } from './command-line.ts'

const ATROPOS = realData('atropos/rubiks_process_results_32.jsonl')

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-real-'))
})

afterAll(() => rm(folder, { recursive: true }))

describe.skipIf(ATROPOS === null)('a published dump of a game, half of whose rollouts train the environment', () => {
  test('the fault is named where it is', async () => {
    const ran = await commandLine(['inspect', ATROPOS!, '--json', '-'])
    const report: Report = JSON.parse(ran.out)
    expect(ran.code).toBe(1)
    expect(report.tokenizer.id).toBe('llama3')
    expect(report.policy).toMatchObject({ id: 'last-turn', origin: 'format' })
    const errors = report.findings.filter(({ severity, intended }) => severity === 'error' && intended !== true)
    expect(errors.map(({ code }) => code)).toEqual(Array(12).fill('M01'))
  })

  test('the flagged groups are exported as their own lines', async () => {
    const out = join(folder, 'flagged.jsonl')
    const ran = await commandLine(['export', ATROPOS!, '--flagged', '--as', 'source', '--out', out])
    expect(ran.code).toBe(0)
    const source = new Set((await readFile(ATROPOS!, 'utf8')).trimEnd().split('\n'))
    const written = (await readFile(out, 'utf8')).trimEnd().split('\n')
    expect(written.length).toBeGreaterThan(0)
    for (const line of written) expect(source.has(line)).toBe(true)
    const manifest = JSON.parse(await readFile(`${out}.manifest.json`, 'utf8'))
    expect(manifest.trajectories).toHaveLength(12)
    expect(manifest.files).toMatchObject([{ records: written.length, trajectories: 12 }])
  })

  test('and shown token by token', async () => {
    const ran = await commandLine(['show', ATROPOS!, '--index', '0'])
    expect(ran.out).toMatch(/^█ /m)
    expect(ran.out).toMatch(/^error {3}M01 /m)
  })
})
