import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Confined, Ended } from '../fuzz/confined.ts'
import { keepCrash, keptCrashes, readCrash } from '../fuzz/crashes.ts'
import { drive } from '../fuzz/drive.ts'
import { target } from '../fuzz/target.ts'

const CHILD = fileURLToPath(new URL('misbehaving-child.mjs', import.meta.url))
const LIMITS = { deadline: 20_000, patience: 20_000, heap: 64, memory: 250 << 20 }

const folder = mkdtempSync(join(tmpdir(), 'inspector-crashes-'))
const confined = new Confined(LIMITS, CHILD)
const impatient = new Confined({ ...LIMITS, deadline: 300, patience: 600 }, CHILD)

afterAll(async () => {
  await Promise.all([confined.end(), impatient.end()])
  rmSync(folder, { recursive: true })
})

describe('an input that is tried in a process of its own', () => {
  test.each([
    ['loops for ever', 'hang', impatient, 'No answer within 0.6 s.'],
    ['never answers', 'wait', impatient, 'No answer within 0.6 s.'],
    ['fills the heap', 'heap', confined, /^The process ended with SIG\w+\.$|^The process ended with code \d+\.$/],
    ['takes more bytes than it may', 'bytes', confined, /^It took \d+ MB of memory where 262 MB are allowed\.$/],
    ['ends the process', 'exit', confined, 'The process ended with code 7.'],
  ])('and %s is told, and the next one is tried', async (_name, input, where, why) => {
    const failure = await where.holds({ id: 'any' }, input).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Ended)
    expect((failure as Error).message).toMatch(why)
    await confined.holds({ id: 'any' }, 'good')
    await expect(confined.holds({ id: 'any' }, 'bad')).rejects.toThrow('it is bad')
  })
})

describe('an input that goes wrong', () => {
  const words = fc.array(fc.constantFrom('good', 'fine', 'bad', 'well')).map((all) => all.join(' '))
  const readerOfWords = target('words', 'words', words, () => undefined)

  test('is kept as small as it gets, under a name of its own', async () => {
    const driven = drive(readerOfWords, { numRuns: 200, seed: 5, keepIn: folder, confined })
    await expect(driven).rejects.toThrow(/^words \(FUZZ_SEED=5\): .*it is bad[\s\S]*The input is kept in .*words/)
    const [crash, ...others] = keptCrashes(folder)
    expect(others).toEqual([])
    expect(crash?.target).toBe('words')
    expect(readCrash(crash?.path as string)).toBe('bad')
  })

  test('is told alone where it is not to be kept', async () => {
    const driven = drive(readerOfWords, { numRuns: 200, seed: 5, confined })
    await expect(driven).rejects.toThrow(/it is bad(?![\s\S]*is kept)/)
  })

  test.each([
    ['bytes', new Uint8Array([0, 255, 10])],
    ['a text with half a character', '\ud800 "x"'],
    ['pages', { changed: [{ path: 'a.md', bytes: new Uint8Array([1, 2]) }], deeds: [{ at: 3, text: '\u0000' }] }],
  ])('comes out of its file as it was: %s', (_name, input) => {
    expect(readCrash(keepCrash('any', input, folder))).toEqual(input)
  })
})
