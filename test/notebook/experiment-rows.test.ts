import { expect, test } from 'vitest'
import { experimentRows } from '../../renderer/views/notebook/experiment-rows.ts'
import type { Experiment } from '../../shared/notebook/model.ts'

const experiment = (id: string, title: string): Experiment => ({
  id,
  category: 'A',
  title,
  parameters: [],
  command: '',
  outcome: '',
  notes: '',
  runs: [],
  tests: [],
  file: null,
})

const ordered = (titles: readonly string[], sort: string) =>
  experimentRows(
    titles.map((title, at) => experiment(`A${at + 1}`, title)),
    { category: null, find: '', sort },
  ).map(({ experiment: { title } }) => title)

test.each([
  [['run 10', 'run 2', 'run 1'], 'title', ['run 1', 'run 2', 'run 10']],
  // As files are: folder by folder, and names that differ by a nought alone have an order.
  [['qwen2/b', 'qwen/c', 'qwen/a'], 'title', ['qwen/a', 'qwen/c', 'qwen2/b']],
  [['run 1', 'run 01'], 'title', ['run 01', 'run 1']],
  [['run 1', '', 'run 2'], '-title', ['run 2', 'run 1', '']],
])('experiments %j stand by %s as %j', (titles, sort, expected) => {
  expect(ordered(titles, sort)).toEqual(expected)
})
