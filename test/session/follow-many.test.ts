import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import * as registry from '../../shared/model/thresholds/registry.ts'
import * as collectedRun from '../../shared/session/audit/collected-run.ts'
import { cleanRollout, lines, qwen } from './dumps.ts'
import { atOnce, type FileThen, followed } from './followed.ts'

vi.mock(import('../../shared/session/audit/collected-run.ts'), async (original) => {
  const module = await original()
  return { ...module, collectedTogether: vi.fn(module.collectedTogether) }
})
vi.mock(import('../../shared/model/thresholds/registry.ts'), async (original) => {
  const module = await original()
  return { ...module, resolveThresholds: vi.fn(module.resolveThresholds) }
})
afterEach(() => vi.restoreAllMocks())

const FILES = 40
let files: FileThen[]
beforeAll(async () => {
  const tokenizer = await qwen()
  files = Array.from({ length: FILES }, (_, step) => ({
    name: `step_${step}.jsonl`,
    bytes: lines([cleanRollout(tokenizer, step)]),
  }))
})

test('many small files are put together when somebody asks what was found, not at each of them', async () => {
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 1000))
  const { report } = await followed([files])
  const asked = vi.mocked(collectedRun.collectedTogether).mock.calls.length
  expect(report).toEqual(await atOnce(files))
  expect(asked).toBeLessThan(FILES / 4)
})

test('under what files are read is found out for each that comes, not for all that are there as well', async () => {
  const resolved = vi.mocked(registry.resolveThresholds).mock.calls
  const before = resolved.length
  const { report } = await followed(files.map((_, last) => files.slice(0, last + 1)))
  const asked = resolved.length - before
  expect(report).toEqual(await atOnce(files))
  // All that are there each time would be half of the square.
  expect(asked).toBeLessThan((FILES * FILES) / 4)
})

test('a small file is read once in each look, and a large one in parts', async () => {
  const reads = new Map<string, number>()
  const large = {
    name: 'step_0.jsonl',
    bytes: files
      .map(({ bytes }) => bytes)
      .join('')
      .repeat(4),
  }
  const { report } = await followed([[large, ...files.slice(1)]], {}, undefined, undefined, (name) =>
    reads.set(name, (reads.get(name) ?? 0) + 1),
  )
  expect(report).toEqual(await atOnce([large, ...files.slice(1)]))
  // One look finds it, and the last one looks whether it is as it was.
  for (const { name } of files.slice(1)) expect([name, reads.get(name)]).toEqual([name, 2])
  expect(reads.get(large.name)).toBeGreaterThan(2)
})

test('a small file that cannot be read at first is asked for again', async () => {
  const small = files.slice(0, 2)
  let fails = 2
  const { report } = await followed([small, small, small], {}, undefined, async () => {
    if (fails-- > 0) throw new Error('The disk is away.')
  })
  expect(report).toEqual(await atOnce(small))
})
