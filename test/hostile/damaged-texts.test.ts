import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editedAndRead, randomBytes, readAndWritten } from '../fuzz/notebook-properties.ts'
import { deepLink, mapping, markdown, marksFile, notebookFile, workspaceFile } from '../fuzz/properties.ts'
import { query } from '../fuzz/query-properties.ts'

// The same number of inputs and the same ones every time; `npm run fuzz` has new ones, and many more.
const SEED = 20_261

test.each([
  ['a query', query, 2000],
  ['--map', mapping, 2000],
  ['a file of marks', marksFile, 1000],
  ['a notebook in one file', notebookFile, 300],
  ['a deep link', deepLink, 2000],
  ['Markdown on screen', markdown, 1000],
  ['a damaged folder of Markdown', readAndWritten, 60],
  ['a damaged folder that is edited', editedAndRead, 40],
  ['a folder with a page of random bytes', randomBytes, 60],
])('whatever is in it, it is read or refused in a sentence: %s', (_name, property, numRuns) => {
  expect(numRuns).toBeGreaterThan(0)
  fc.assert(property as fc.IProperty<unknown>, { numRuns, seed: SEED })
})

test('whatever is in it, it is read or refused in a sentence: a workspace', () =>
  fc.assert(workspaceFile, { numRuns: 300, seed: SEED }))
