import { expect, it } from 'vitest'
import { adviceSentences } from '../../shared/hypotheses/advice.ts'
import { centred, groupRows } from '../fixtures/checks/group-rows.ts'
import { jsonl } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

const REWARDS = [
  [0.9, Number.NaN, 0.6, 0.8],
  [0.2, 0.7, 0.1, 0.5],
]
const LEFT_OUT = (rewards: readonly number[]) => centred(rewards.map((reward) => (Number.isNaN(reward) ? 0.7 : reward)))

type Advantages = Parameters<typeof groupRows>[1]

/** The first rollout with a mask that is two shorter where `isUnfit`. */
async function reportOf(advantages: Advantages, isUnfit = false) {
  const editMask = (mask: number[]) => {
    mask.length -= 2
  }
  const rows = groupRows(REWARDS, advantages, (group, member) => ({
    options: isUnfit && group + member === 0 ? { editMask } : {},
  }))
  // What Python writes for NaN, and JavaScript does not.
  const text = jsonl(rows(await testTokenizer('qwen2.5'))).replace(/("(?:reward|advantage)":)null/g, '$1NaN')
  return (await audited(text, { tokenizer: 'qwen2.5' })).report()
}

it('names rewards that are NaN as the cause of advantages that are', async () => {
  const report = await reportOf(centred)
  expect(report.defects).toMatchObject([{ id: 'A10', symptoms: [{ code: 'A10' }, { code: 'S03', affected: 4 }] }])
  expect(adviceSentences(report).map(({ text }) => text)).toEqual([
    'Mend A10 first: rewards that are no numbers make the advantages of their groups none (1 of 8 rollouts).',
  ])
})

it('does not where the trainer left the rollout out, and arrays of another do not fit', async () => {
  const report = await reportOf(LEFT_OUT, true)
  expect(report.defects).toEqual([])
  expect(report.checks.find(({ code }) => code === 'A10')).toMatchObject({ status: 'fail', severity: 'info' })
  expect(report.checks.find(({ code }) => code === 'S03')).toMatchObject({ status: 'fail', affected: 1 })
})

it('does not where arrays of a rollout of that group are of other lengths besides', async () => {
  expect((await reportOf(centred, true)).defects).toEqual([])
})
