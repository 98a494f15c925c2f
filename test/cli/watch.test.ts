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

test('a file that was named and is rotated is looked at where it is, look after look, and while it is written to there', async () => {
  const path = join(folder, 'run.jsonl')
  writeFileSync(path, '{}\n')
  const { look } = await watchPaths([path], { directory: folder } as CommandIo, null)
  const looked = async () => (await look()).map(({ source, identity }) => [source.name, source.size, identity])
  const [, , first] = (await looked())[0] ?? []
  renameSync(path, `${path}.1`)
  expect(await looked()).toEqual([['run.jsonl.1', 3, first]])
  appendFileSync(`${path}.1`, '{}\n')
  expect(await looked()).toEqual([['run.jsonl.1', 6, first]])
  writeFileSync(path, '{}\n{}\n{}\n')
  const next = (await looked())[0]?.[2]
  renameSync(`${path}.1`, `${path}.2`)
  renameSync(path, `${path}.1`)
  const both = [
    ['run.jsonl.1', 9, next],
    ['run.jsonl.2', 6, first],
  ]
  for (const _ of [1, 2]) expect((await looked()).sort()).toEqual(both)
  rmSync(`${path}.1`)
  expect(await looked()).toEqual([both[1]])
})
