import { expect, test } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from './read-source.ts'

const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is 3.' }] }

async function answersOf(...expected: readonly unknown[]) {
  const lines = expected.map((expected_answer) =>
    JSON.stringify({
      responses_create_params: { input: 'How many?' },
      response: { id: 'r', object: 'response', output: [said] },
      reward: 1,
      expected_answer,
    }),
  )
  const { trajectories } = await readSource(memorySource(Buffer.from(lines.join('\n'))))
  return trajectories.map(({ answer, issues, meta }) => [answer, issues.length, meta.expected_answer])
}

test('the answer that an environment of NeMo-Gym was given is that of the task', async () => {
  expect(await answersOf('\\(\\frac{1}{3}\\)', 3)).toEqual([
    ['\\(\\frac{1}{3}\\)', 0, undefined],
    ['3', 0, undefined],
  ])
})

test('what is no text stays what the environment keeps under the name', async () => {
  const calls = [{ name: 'add', arguments: '{}' }]
  expect(await answersOf(calls, null)).toEqual([
    [null, 0, calls],
    [null, 0, undefined],
  ])
})
