import { expect, it } from 'vitest'
import { assistant, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const CREDIT = { whole: 0.8, last: 0.8, none: 0 }

/** Eight rollouts whose answer only a reply holds, with advantages by token: on the last turn alone, on the whole row, or 0. */
async function audited(credits: readonly (keyof typeof CREDIT)[]) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = credits.map((credit, i) => {
    const turns = [
      user(`Where was rider ${i} born?`),
      assistant('I look it up.'),
      tool('Born in Tarnowice.'),
      assistant('I cannot tell.'),
    ]
    const row = conversation(tokenizer, turns, { id: `r${i}`, answer: 'Tarnowice', reward: i % 2 })
    const mask = row.record.loss_mask as number[]
    const last = mask.lastIndexOf(0, mask.lastIndexOf(1))
    const advantages = mask.map((trained, at) =>
      trained === 1 && (credit !== 'last' || at > last) ? CREDIT[credit] : 0,
    )
    return trajectoryOf({ ...row, record: { ...row.record, advantages } })
  })
  return (await auditTrajectories(rows, tokenizer)).byCode.get('M18')?.tally
}

it('returns that never reach the first turn are looked at in rollouts that have any, and not beside those of dead groups', async () => {
  const tally = await audited(['last', 'last', 'last', 'last', 'none', 'none', 'none', 'none'])
  expect(tally).toMatchObject({ checked: 4, affected: 4 })
})

it('credit that is the same throughout a rollout reached its first turn', async () => {
  expect(await audited(['last', 'last', 'whole', 'whole', 'whole', 'none'])).toMatchObject({ checked: 5, affected: 2 })
})

it('a number for a whole rollout, written once for each token, counts once for its answer', async () => {
  expect(await audited(['whole', 'whole', 'whole', 'whole'])).toMatchObject({ checked: 4, affected: 0 })
})
