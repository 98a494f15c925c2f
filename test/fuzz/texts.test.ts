import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deepLink, mapping, markdown, marksFile, notebookFile, workspaceFile } from './properties.ts'

/** Inputs of each kind; the seed is printed by fast-check where one fails. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 10_000)

test.each([
  ['--map', mapping],
  ['a file of marks', marksFile],
  ['a notebook in one file', notebookFile],
  ['a deep link', deepLink],
  ['Markdown on screen', markdown],
])('whatever is in it, it is read or refused in a sentence: %s', (_name, property) => {
  expect(RUNS).toBeGreaterThan(0)
  fc.assert(property as fc.IProperty<unknown>, { numRuns: RUNS })
})

test('whatever is in it, it is read or refused in a sentence: a workspace', () =>
  fc.assert(workspaceFile, { numRuns: RUNS }))
