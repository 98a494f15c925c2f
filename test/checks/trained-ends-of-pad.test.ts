import { expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const END = 128009
const PADDING = 4

/** A row padded with the id that ends its turns, the call's end masked. The sampler was certain of the last end, whose 0.0 is also what fills the rest. */
async function audited({ trainsLast }: { readonly trainsLast: boolean }) {
  const llama = await testTokenizer('llama3')
  const row = searchRow(llama, 0, { call: { train: { end: false } }, answer: { train: { end: trainsLast } } })
  const filled = <T>(values: readonly T[], filler: T) => [...values, ...Array<T>(PADDING).fill(filler)]
  const record = {
    ...row.record,
    input_ids: filled(row.record.input_ids, END),
    loss_mask: filled(row.record.loss_mask!, 0),
  }
  const trajectory = trajectoryOf({ ...row, record })
  const sampler = Float32Array.from(filled(row.sampled, 0), (flag, i) => (flag ? -0.4 - (i % 7) / 10 : 0))
  sampler[row.layout.at(-1)!.endToken] = 0
  const logprobs = { ...trajectory.logprobs, sampler }
  const { failing } = auditTrajectories([{ ...trajectory, logprobs }], llama, { format: { unsampledLogprob: 0 } })
  return failing.filter((code) => code.startsWith('M'))
}

it('is no mask that compares ids with the pad id where an end of that id is in the loss, though its logprob is that of padding', async () => {
  expect(await audited({ trainsLast: true })).toEqual(['M10'])
})

it('is one where no end of that id is', async () => {
  expect(await audited({ trainsLast: false })).toEqual(['M10', 'M13'])
})
