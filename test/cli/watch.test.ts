import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CommandIo } from '../../cli/io.ts'
import { watchPaths } from '../../cli/watch.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-watch-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('only files that came, were written to or moved are opened for another look', async () => {
  mkdirSync(join(folder, 'steps'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'steps', `${name}.jsonl`), '{}\n')
  symlinkSync(join(folder, 'steps', 'a.jsonl'), join(folder, 'steps', 'link.jsonl'))
  const { look } = await watchPaths([join(folder, 'steps')], { directory: folder } as CommandIo, null)
  const first = await look()
  // A link to a file is that file.
  expect(first.map(({ source }) => source.name)).toEqual(['a.jsonl', 'b.jsonl', 'c.jsonl'])
  appendFileSync(join(folder, 'steps', 'b.jsonl'), '{}\n')
  renameSync(join(folder, 'steps', 'c.jsonl'), join(folder, 'steps', 'd.jsonl'))
  const second = await look()
  expect(second.map(({ source }) => [source.name, source.size])).toEqual([
    ['a.jsonl', 3],
    ['b.jsonl', 6],
    ['d.jsonl', 3],
  ])
  expect(second.map(({ source }, at) => source === first[at]?.source)).toEqual([true, false, false])
})
