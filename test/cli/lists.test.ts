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

  test.each(['formats', 'checks', 'fields'])('%s as a table and as JSON', async (command) => {
    const rows = JSON.parse((await cli(command, '--json')).out)
    expect(rows.length).toBeGreaterThan(4)
    const table = await cli(command)
    expect(table.code).toBe(0)
    for (const { id, code, name } of rows) expect(table.out).toContain(id ?? code ?? name)
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

  test('what the help of export points to for its queries is a command that lists them', async () => {
    expect((await cli('export', '--help')).out.replace(/\s+/g, ' ')).toContain('`fields` lists what it can ask for')
    const { out } = await cli('fields')
    expect(out).toMatch(
      /Of rollouts[\s\S]*tokens, length: Tokens of the sequence.* In tokens\.[\s\S]*What people attached/,
    )
    expect(out.replace(/\s+/g, ' ')).toMatch(/end, finish_reason: .*cut-call: cut inside a tool call/)
    expect((await cli('fields', 'reward')).code).toBe(2)
  })

  test('help of a command is that of its --help', async () => {
    for (const command of ['inspect', 'serve']) {
      expect(await cli('help', command)).toEqual(await cli(command, '--help'))
    }
    expect((await cli('help', 'inspet')).err).toContain('inspet is not a command. Did you mean inspect?')
  })

  test('--version is that of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    expect((await cli('--version')).out).toBe(`${version}\n`)
  })
})
