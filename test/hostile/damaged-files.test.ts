import { expect, test } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from '../formats/read-source.ts'

const LINE = (n: number) => `{"id": "r${n}", "input_ids": [${n}, 1, 2], "loss_mask": [0, 1, 1]}`

test.each([
  ['an extra bracket', `[${LINE(9)}`],
  ['a bracket for a brace', `[${LINE(9).slice(1)}`],
  ['nothing but a bracket', '['],
  ['a line that was cut behind a bracket', '[{"id": "r9", "input_i'],
  ['a list that ends in a comma', `[${LINE(9)},`],
])('a damaged first line that begins like a list costs no other line: %s', async (_name, first) => {
  const lines = [first, ...[0, 1, 2, 3].map(LINE)]
  const { trajectories } = await readSource(memorySource(`${lines.join('\n')}\n`))
  expect(trajectories.map(({ id }) => id)).toEqual(expect.arrayContaining(['r0', 'r1', 'r2', 'r3']))
})

test.each([
  ['in one line', (rows: string[]) => `[${rows.join(',')}]`],
  ['a row a line', (rows: string[]) => `[${rows.join(',\n')}]\n`],
  ['brackets on lines of their own', (rows: string[]) => `[\n${rows.join(',\n')}\n]\n`],
  ['commas first', (rows: string[]) => `[\n${rows.join('\n, ')}\n]\n`],
  [
    'pretty-printed',
    (rows: string[]) =>
      JSON.stringify(
        rows.map((row) => JSON.parse(row)),
        null,
        2,
      ),
  ],
  ['one row on its line', (rows: string[]) => `[\n${rows[0]}\n]`],
])('an array stays one: %s', async (_name, layout) => {
  const rows = [0, 1, 2, 3].map(LINE)
  const text = layout(rows)
  const { trajectories } = await readSource(memorySource(text))
  expect(trajectories.map(({ id }) => id)).toEqual(text.includes('r3') ? ['r0', 'r1', 'r2', 'r3'] : ['r0'])
})
