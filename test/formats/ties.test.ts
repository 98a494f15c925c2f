import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from '../session/test-host.ts'
import { FIXTURES, fixtureNames } from './fixture-files.ts'

/** A row that verl writes, and what TRL has in its columns as well: someone put both side by side. */
const both = (row: number) => ({
  ...verl(row),
  prompt: `Question ${row}?`,
  completion: 'It says so.',
  advantage: row % 2 ? 0.5 : -0.5,
  accuracy: row % 2,
})
const verl = (row: number) => ({ input: `Question ${row}?`, output: 'It says so.', score: row % 2, step: 3 })
const trl = (row: number) => ({ step: 3, prompt: `Question ${row}?`, completion: 'Yes.', advantage: 0.5, accuracy: 1 })

const jsonl = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const rows = (count: number, row: (i: number) => unknown) => Array.from({ length: count }, (_, i) => row(i))

async function opened(text: string, options: AuditOptions = {}) {
  const session = await Session.open([memorySource(text, 64, 'dump.jsonl')], options, testHost())
  await session.done
  return { source: session.report().sources[0]!, unreadable: session.unreadable }
}

describe('records of which two formats are as sure', () => {
  it('are read by the first, and the report asks which it is, naming both and the option', async () => {
    const { source } = await opened(jsonl(rows(4, both)))
    expect(source.format).toMatchObject({ id: 'trl', rivals: ['trl', 'verl'] })
    expect(source.notes?.[0]).toBe(
      'Its records may be of trl or of verl, which are as sure of them; they are read as trl. Say which it is with --read-as verl (or trl), or where the app lists its files.',
    )
  })

  it('are those of a file of which one half is another trainer’s', async () => {
    const { source } = await opened(jsonl([...rows(4, verl), ...rows(4, trl)]))
    expect(source.format?.rivals).toEqual(['trl', 'verl'])
    expect(source.format?.evidence.at(-1)).toBe('in 4 of the first 8 records')
  })

  it('are read by the one that a person names, for the file or for all', async () => {
    const ways: Record<string, string>[] = [
      { 'dump.jsonl': 'verl' },
      { '*': 'verl' },
      { '*': 'trl', 'dump.jsonl': 'verl' },
    ]
    for (const readAs of ways) {
      const { source } = await opened(jsonl(rows(4, both)), { readAs })
      expect(source.format).toMatchObject({ id: 'verl' })
      expect(source.format?.evidence.at(-1)).toBe('named by the person')
      expect(source.format).not.toHaveProperty('rivals')
      expect(source.notes).toBeUndefined()
    }
  })

  it('are not read as what they are not', async () => {
    const text = jsonl(rows(4, verl))
    const { unreadable } = await opened(text, { readAs: { 'dump.jsonl': 'slime' } })
    expect(unreadable[0]).toMatchObject({
      code: 'not-that-format',
      message: expect.stringMatching(/^dump\.jsonl was to be read as slime, .* look like verl\.$/),
    })
    // What is said of all files settles those that it fits.
    expect((await opened(text, { readAs: { '*': 'slime' } })).source.format?.id).toBe('verl')
  })
})

it.each(fixtureNames)('%s is nobody else’s', async (name) => {
  const source = memorySource(new Uint8Array(readFileSync(new URL(name, FIXTURES))), 1 << 16, 'dump')
  const session = await Session.open([source], {}, testHost())
  await session.done
  for (const { format } of session.report().sources) expect(format).not.toHaveProperty('rivals')
})
