import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { commandLine } from './command-line.ts'

const cli = (...argv: string[]) => commandLine(argv)

describe('lists and help', () => {
  test('checks CODE explains the code, and refuses one that is none; formats takes none', async () => {
    const { code, out } = await cli('checks', 'm01')
    expect(code).toBe(0)
    expect(out).toMatch(
      /M01 Tool output or prompt is trained[\s\S]*Why it matters[\s\S]*Usual fix[\s\S]*What trips it[\s\S]*Seen in/,
    )
    expect((await cli('checks', 'Z99')).code).toBe(2)
    expect((await cli('formats', 'run.jsonl')).code).toBe(2)
  })

  test('checks explains a defect that no check names alone, as a report tells it', async () => {
    const { code, out } = await cli('checks', 'v2')
    expect(code).toBe(0)
    expect(out).toMatch(
      /V2 Assistant header missing after the first turn[\s\S]*Usual fix\s+\S[\s\S]*Checks that fail because of it\s+.*T05/,
    )
    expect(JSON.parse((await cli('checks', 'V2', '--json')).out)).toMatchObject([{ id: 'V2', fix: expect.any(String) }])
  })

  test.each(['formats', 'checks'])('%s as a table and as JSON', async (command) => {
    const rows = JSON.parse((await cli(command, '--json')).out)
    expect(rows.length).toBeGreaterThan(4)
    const table = await cli(command)
    expect(table.code).toBe(0)
    for (const { id, code } of rows) expect(table.out).toContain(id ?? code)
  })

  test.each([
    ['inspect', '--max-tool-response-length N'],
    ['export', '--flagged'],
    ['show', '--index N'],
    ['serve', '--port N'],
  ])('%s --help names %s', async (command, option) => {
    const ran = await cli(command, '--help')
    expect(ran.code).toBe(0)
    expect(ran.out).toContain(option)
  })

  test('--version is that of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    expect((await cli('--version')).out).toBe(`${version}\n`)
  })
})
