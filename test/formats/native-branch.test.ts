import { expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

const qwen2 = await testTokenizer('qwen2.5')

/** A branch of a rollout that trains its first turn or has it as context, with the logprobs of all that the model wrote. */
function branch(rollout: number, name: string, answer: string, trainsFirst: boolean) {
  const { record, layout } = searchRow(qwen2, rollout, {
    answer: { text: answer },
    call: { text: `Search ${rollout}.` },
  })
  const written = record.loss_mask!
  const first = layout[2]!
  const loss_mask = written.map((flag, at) => (trainsFirst || at > first.endToken ? flag : 0))
  const logprobs = { sampler: written.map((flag) => (flag === 1 ? -0.2 : null)) }
  return { ...record, id: `${rollout}.${name}`, rollout_id: `${rollout}`, branch: name, loss_mask, logprobs }
}

async function saidOf(first: boolean) {
  const rows = [0, 1, 2].flatMap((rollout) => [
    branch(rollout, '0', 'It is 1961.', first),
    branch(rollout, '1', 'The film is of 1962.', false),
  ])
  const { checks, hypotheses } = (await audited(rows.map((row) => JSON.stringify(row)).join('\n'))).report()
  const { status, affected } = checks.find(({ code }) => code === 'M03')!
  return { status, affected, verdict: hypotheses.find(({ id }) => id === 'H02')!.verdict }
}

it('a turn that a branch masks and another branch trains is context', async () => {
  expect(await saidOf(true)).toEqual({ status: 'pass', affected: 0, verdict: 'contradicted' })
})

it('a turn that all branches mask is not trained', async () => {
  expect(await saidOf(false)).toEqual({ status: 'fail', affected: 3, verdict: 'supported' })
})

it('a turn that only a branch beside those of the dump can train is not known to be', async () => {
  const rows = [0, 1, 2].map((rollout) => JSON.stringify(branch(rollout, '1', 'It is 1961.', false)))
  const { checks } = (await audited(rows.join('\n'))).report()
  expect(checks.find(({ code }) => code === 'M03')!.status).toBe('not-checkable')
})
