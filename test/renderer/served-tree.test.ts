import { expect, test } from 'vitest'
import { type ServedBranch, servedTree } from '../../renderer/data/served-tree.ts'

const NAMES = [
  'a.jsonl',
  'runs/one/steps/step_1.jsonl',
  'runs/one/steps/step_2.jsonl',
  'runs/two/rank_0.jsonl',
  'z.jsonl',
]
const files = NAMES.map((name) => ({ name, url: `/file/${name}`, size: 1 }))

/** Each folder with how its names begin and how many files it has in all. */
function drawn({ name, folder, branches, files: own, all }: ServedBranch): unknown {
  return [name, folder, all.length, own.map((file) => file.name), ...branches.map(drawn)]
}

test('files are a tree of folders; a folder that holds but one folder is drawn with it', () => {
  expect(drawn(servedTree('dumps', files))).toEqual([
    'dumps',
    '',
    5,
    ['a.jsonl', 'z.jsonl'],
    [
      'runs',
      'runs/',
      3,
      [],
      ['one/steps', 'runs/one/steps/', 2, ['runs/one/steps/step_1.jsonl', 'runs/one/steps/step_2.jsonl']],
      ['two', 'runs/two/', 1, ['runs/two/rank_0.jsonl']],
    ],
  ])
})

test.each([
  ['STEP_', 2],
  ['one', 2],
  [' rank ', 1],
  ['nothing', 0],
])('of the files with %j in their name there are %d', (found, count) => {
  expect(servedTree('dumps', files, found).all).toHaveLength(count)
})
