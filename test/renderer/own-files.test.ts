import { expect, test } from 'vitest'
import { looseFile, ownKind, ownKinds } from '../../renderer/data/own-files.ts'
import { formatMarks } from '../../shared/model/marks.ts'

test.each([
  ['marks', formatMarks([])],
  ['workspace', '{\n  "format": "rollout-inspector.workspace/1",\n  "files": []}'],
  ['notebook', '\uFEFF {"written_at": "2026", "schema":"rollout-inspector.notebook/2", "hypotheses": []}'],
])('a file of %s is known by how it begins', (kind, text) => {
  expect(ownKind(text)).toBe(kind)
})

test.each([
  ['a rollout that quotes one', JSON.stringify({ prompt: formatMarks([]) })],
  ['a rollout with messages of that kind', '{"messages": [{"format": "rollout-inspector.marks/1"}]}'],
  ['a list of them', `[${formatMarks([])}]`],
  ['a report', '{"format": "rollout-inspector.report/1"}'],
  ['nothing', ''],
])('%s is none', (_name, text) => {
  expect(ownKind(text)).toBeNull()
})

test('only loose files are looked at, and one that cannot be read is none', async () => {
  const marks = new File([formatMarks([])], 'marks.json')
  const broken = { ...looseFile('gone.json', marks), head: () => Promise.reject(new Error('gone')) }
  const kinds = await ownKinds([looseFile('run/marks.json', marks), looseFile('marks.json', marks), broken])
  expect(kinds).toEqual([null, 'marks', null])
})
