import { expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import type { TurnSpec } from '../helpers/conversation.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

const CUT = 'I look it up.\n<tool_call>\n{"name": "search", "arguments": {"query": "Who dir'
const WHOLE = 'I look it up.\n<tool_call>\n{"name": "search", "arguments": {"query": "it"}}\n</tool_call>'

/** The turn that calls is masked from its end token on, the answer is trained through its own; `score` is the sampler's of the masked end. */
function checked(call: Partial<TurnSpec>, score: number | null) {
  const rows = [0, 1, 2, 3].map((index) => {
    const row = searchRow(qwen2, index, { call: { ...call, train: { end: false } } })
    const trajectory = trajectoryOf(row, { source: 0, record: index, part: 0 })
    if (score === null) return trajectory
    const sampler = Float32Array.from(trajectory.mask!, (flag) => (flag === 1 ? -0.2 : 0))
    sampler[row.layout.find(({ role }) => role === 'assistant')!.endToken] = score
    return { ...trajectory, logprobs: { ...trajectory.logprobs, sampler } }
  })
  const format = score === null ? {} : { format: { unsampledLogprob: 0 } }
  const { byCode } = auditTrajectories(rows, qwen2, format)
  return [byCode.get('C07')?.tally.affected, byCode.get('M10')?.tally.affected]
}

it('an end token that was put behind a cut call is no end that the mask leaves out', () => {
  expect(checked({ text: CUT }, null)).toEqual([4, 0])
  expect(checked({ text: CUT }, 0)).toEqual([4, 0])
})

it.each([
  ['behind a whole call', { text: WHOLE }, null],
  ['behind a whole call, with the 0.0 of what nobody sampled', { text: WHOLE }, 0],
  ['behind a call that the model left open, as its logprob tells', { text: CUT }, -0.3],
] as const)('one %s is', (_name, call, score) => {
  expect(checked(call, score)[1]).toBe(4)
})
