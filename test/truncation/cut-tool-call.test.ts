import { expect, it } from 'vitest'
import { auditDump } from '../checks/audit.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'

/** What a dump tells of a token: the model wrote it, another did, or nothing. */
const [OTHER, MODEL, SILENT] = [0, 1, 2]

/** Findings of C07 where Llama's call stops in a string behind a token of the model, and is answered; its end and that of the answer are told so. */
async function unbraced(end: { told: number; loss: number }, answer = { told: MODEL, loss: 1 }) {
  const audit = await auditDump({
    story: '',
    family: 'llama3',
    rows: (tokenizer) => {
      const text = '{"name": "search", "parameters": {"query": "Ni'
      const row = searchRow(tokenizer, 0, { call: { text } }, { sampled: true })
      const [asked, answered] = row.layout.filter(({ role }) => role === 'assistant')
      const { loss_mask: mask, sampled } = row.record
      sampled![asked!.endToken] = end.told
      mask![asked!.endToken] = end.loss
      sampled![answered!.endToken] = answer.told
      mask![answered!.endToken] = answer.loss
      return [row]
    },
  })
  return audit.byCode.get('C07')?.findings ?? []
}

it('names a call without a tag by who ended its turn, not by who wrote its last word', async () => {
  expect(await unbraced({ told: OTHER, loss: 0 })).toHaveLength(1)
  expect(await unbraced({ told: SILENT, loss: 0 })).toHaveLength(1)
})

it('takes a call without a tag for the model’s own where it ended the turn, or where no end of the row is told to be its', async () => {
  expect(await unbraced({ told: MODEL, loss: 0 })).toEqual([])
  expect(await unbraced({ told: SILENT, loss: 1 })).toEqual([])
  expect(await unbraced({ told: SILENT, loss: 0 }, { told: SILENT, loss: 0 })).toEqual([])
  expect(await unbraced({ told: OTHER, loss: 0 }, { told: OTHER, loss: 0 })).toEqual([])
})
