import { describe, expect, it } from 'vitest'
import { scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { audited, lines, qwen } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

/** A text that no dump has, in whose place a bare NaN is written. */
const NAN = '@NaN@'

/** Three scored rollouts of which the first tokens of the answer have this for a sampler logprob, and what is absent that. */
async function withFirst(value: string | null, absent: string | null, host = testHost()) {
  const rows = scoredRows(({ sampler }, { layout }) => {
    const written = sampler as (number | string | null)[]
    for (const [token, own] of sampler.entries()) if (own === null) written[token] = absent
    const { contentStart } = layout.at(-1)!
    written.fill(value, contentStart, contentStart + 4)
  })
  const report = (await audited(lines(rows(await qwen())).replaceAll(`"${NAN}"`, 'NaN'), {}, host)).report()
  return {
    failing: report.checks.flatMap(({ code, status }) => (status === 'fail' ? [code] : [])),
    message: report.findings.find(({ code }) => code === 'L05')?.message,
  }
}

describe('a bare NaN among the logprobs of the sampler', () => {
  it('is a number that went wrong where absent ones are null, in a worker as well', async () => {
    for (const host of [testHost(), workerHost(2).host]) {
      const { failing, message } = await withFirst(NAN, null, host)
      expect(failing).toContain('L05')
      expect(failing).not.toContain('M09')
      expect(message).toMatch(/^4 tokens carry loss .*: the sampler's at token \d+ is NaN$/)
    }
  })

  it('may stand for what is absent where nothing is null', async () => {
    expect((await withFirst(NAN, NAN)).failing).not.toContain('L05')
  })

  it('is no null', async () => {
    expect((await withFirst(null, null)).failing).not.toContain('L05')
  })
})
