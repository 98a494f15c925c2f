import { expect, it } from 'vitest'
import { auditTrajectories } from '../checks/audit.ts'
import { noise, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

/** KL of all tokens, and the metadata that is made of it and of which tokens were sampled. */
async function findingsOf(meta: (kl: readonly number[], sampled: readonly number[]) => Record<string, unknown>) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = scoredRows((_scores, row, index) => {
    const kl = row.sampled.map(
      (flag, token) => (flag ? 0.1 : token < row.sampled.indexOf(1) ? 3 : 1) * (1 + noise(token + index)),
    )
    row.record.kl = kl
    row.record.meta = meta(kl, row.sampled)
  })(tokenizer)
  const audit = await auditTrajectories(
    rows.map((row) => trajectoryOf(row)),
    tokenizer,
  )
  return audit.byCode.get('L11')?.findings.map(({ message }) => message)
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const response = (kl: readonly number[], sampled: readonly number[]) => meanOf(kl.slice(sampled.indexOf(1)))
const trained = (kl: readonly number[], sampled: readonly number[]) => meanOf(kl.filter((_, token) => sampled[token]))

it('a mean over the response is one over replies of tools, too, where the prompt has values of its own', async () => {
  const found = await findingsOf((kl, sampled) => ({ kl_mean: response(kl, sampled) }))
  expect(found).toHaveLength(3)
  expect(found?.[0]).toMatch(
    /^kl_mean is .*, the mean over all tokens of the response \(.*\) and not over the trained ones/,
  )
  expect(await findingsOf((kl, sampled) => ({ kl_mean: trained(kl, sampled) }))).toEqual([])
})

it('the mean that OpenRLHF has in the info of a row is looked at', async () => {
  expect(await findingsOf((kl) => ({ info: { kl: meanOf(kl), reward: 1 } }))).toHaveLength(3)
  expect(await findingsOf((kl, sampled) => ({ info: { kl: trained(kl, sampled), reward: 1 } }))).toEqual([])
})
