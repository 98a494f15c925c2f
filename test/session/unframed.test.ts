import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import type { TokenizerReference } from '../../shared/session/audit/plan.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import type { Conversation } from '../helpers/conversation.ts'
import { testTokenizer, testTokenizerFiles } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, lines } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

let qwen25: Tokenizer
let qwen3: Tokenizer
let llama: Tokenizer
beforeAll(async () => {
  qwen25 = await testTokenizer('qwen2.5')
  qwen3 = await testTokenizer('qwen3')
  llama = await testTokenizer('llama3')
})

const rollouts = (tokenizer: Tokenizer, count = 12) =>
  Array.from({ length: count }, (_, seed) =>
    cleanRollout(tokenizer, seed, {
      documents: [
        { id: 'd', text: `Document ${seed}: the river Arn rises in the hills of Teal ${seed % 7}.`, supporting: true },
      ],
      more: { reward: 1, answer: 'in the hills', limits: { max_seq_len: 4096 } },
    }),
  )

/** Without the tokens that frame turns, as a base model writes. */
const unframed = (all: readonly Conversation[], special: number): Conversation[] =>
  all.map(({ record, ...rest }) => ({
    ...rest,
    record: {
      input_ids: record.input_ids.filter((id) => id < special),
      loss_mask: (record.loss_mask as number[]).filter((_, i) => (record.input_ids[i] as number) < special),
      reward: 1,
      documents: record.documents,
      messages: record.messages,
    } as unknown as Conversation['record'],
  }))

async function reportOf(
  dump: readonly Conversation[],
  tokenizer: string,
  addedTokenizers: TokenizerReference[] = [],
  host = testHost(),
) {
  return (await audited(lines(dump), { tokenizer }, host, { addedTokenizers })).report()
}

const hypothesis = (report: Report, id: string) => report.hypotheses.find((each) => each.id === id)
const check = (report: Report, code: string) => report.checks.find((each) => each.code === code)

describe('a tokenizer that was named and frames no turns in the ids', () => {
  it('is said to be the wrong one where another has turns in them, and nothing is judged by it', async () => {
    for (const host of [testHost(), workerHost(2).host]) {
      const report = await reportOf(rollouts(llama), 'qwen3', [], host)
      const found = 'no turn starts (<|im_start|>) in these ids, in which llama3 has 60'
      expect(report.tokenizer).toMatchObject({
        id: 'qwen3',
        confidence: 0,
        evidence: ['named by the person', found],
        lacks: expect.stringContaining(`${found}, so qwen3 is not what they were made with (--tokenizer llama3)`),
      })
      expect(report.defects).toEqual([])
      expect(check(report, 'T17')).toMatchObject({ status: 'fail', affected: 12, pattern: 'systematic' })
      expect(report.findings.filter(({ code }) => code !== 'T17')).toEqual([])
      expect(report.findings[0]?.message).toMatch(/; llama3 has turns in them \(--tokenizer llama3\)$/)
      expect(check(report, 'C12')).toMatchObject({
        status: 'not-checkable',
        reason: 'the tokenizer frames no turns in the ids',
      })
      expect(hypothesis(report, 'H04')?.verdict).not.toBe('supported')
      expect(hypothesis(report, 'H07')?.missing).toEqual([report.tokenizer.lacks])
      expect(hypothesis(report, 'H02')).toMatchObject({
        verdict: 'inconclusive',
        because: expect.arrayContaining([expect.objectContaining({ value: 1, threshold: 0.05, checks: ['T17'] })]),
      })
    }
  })

  it('is said to be the wrong one by its vocabulary, with the family that has turns in the ids', async () => {
    for (const [own, given, fits] of [
      [qwen25, 'llama3', 'qwen2.5'],
      [llama, 'qwen2.5', 'llama3'],
    ] as const) {
      const report = await reportOf(rollouts(own), given)
      expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual(['T17'])
      expect(report.findings[0]?.evidence).toMatchObject({ tokenizer: given, fits })
    }
  })

  it('is not, where it has them', async () => {
    for (const [own, given] of [
      [llama, 'llama3'],
      [qwen25, 'qwen3'],
      [qwen3, 'qwen2.5'],
    ] as const) {
      const { tokenizer } = await reportOf(rollouts(own), given)
      expect(tokenizer).toEqual({ id: given, origin: 'given', confidence: 1, evidence: ['named by the person'] })
    }
  })

  it('is taken where no tokenizer has any, and what takes turns finds nothing wrong', async () => {
    const report = await reportOf(unframed(rollouts(llama), 128000), 'llama3')
    expect(report.tokenizer.lacks).toBeUndefined()
    expect(report.tokenizer.evidence[1]).toBe('no turn starts (<|start_header_id|>) in the ids')
    expect(hypothesis(report, 'H04')?.because.filter(({ measure }) => /documents are visible/.test(measure))).toEqual(
      [],
    )
    expect(check(report, 'C12')?.affected).toBe(0)
  })

  it('lacks a chat template where it has none, and says where one is put', async () => {
    const files = (await testTokenizerFiles('qwen2.5')) as { tokenizer: { added_tokens: { content: string }[] } }
    const added = files.tokenizer.added_tokens.map((token) => ({
      ...token,
      content: token.content.replace('im_start', 'turn'),
    }))
    const own: TokenizerReference = {
      kind: 'files',
      id: 'mine',
      title: 'mine',
      origin: 'file',
      tokenizer: JSON.stringify({ ...files.tokenizer, added_tokens: added }),
      config: null,
    }
    const report = await reportOf(rollouts(qwen25), 'mine', [own])
    expect(report.tokenizer.lacks).toMatch(/^turns in the ids: mine has no chat template .*chat_template\.jinja/)
    expect(hypothesis(report, 'H07')).toMatchObject({ missing: [report.tokenizer.lacks] })
    expect(hypothesis(report, 'H07')?.recorded_by).toBeUndefined()
  })
})

describe('rollouts that say which tokens were sampled, in ids without turns', () => {
  /** @param isLeftOut of the n-th sampled token of a rollout: it carries no loss */
  const judged = async (isLeftOut: (nth: number) => boolean) => {
    const records = unframed(rollouts(qwen25), 151643).map(({ record, ...rest }) => {
      const sampled = record.loss_mask as number[]
      let nth = 0
      const loss_mask = sampled.map((wrote) => (wrote === 1 && isLeftOut(nth++) ? 0 : wrote))
      return { ...rest, record: { ...record, sampled, loss_mask } as unknown as Conversation['record'] }
    })
    const { verdict, because, missing } = hypothesis(await reportOf(records, 'qwen2.5'), 'H02')!
    const missed = because.find(({ measure }) => measure.includes('carry no loss'))
    return { verdict, missing, missed: missed && [missed.value, missed.comparison] }
  }

  it('that leave out what the model wrote are not called masked right, and the share is told', async () => {
    const { verdict, missing, missed } = await judged((nth) => nth < 20)
    expect(verdict).toBe('inconclusive')
    expect(missing).toEqual(['turns in the ids'])
    expect(missed).toEqual([expect.closeTo(0.4, 0.2), '>='])
  })

  it('nor are those whose mask is exactly theirs: headers and ends are in no turn that anyone could look at', async () => {
    expect(await judged(() => false)).toEqual({
      verdict: 'inconclusive',
      missing: ['turns in the ids'],
      missed: [0, '<'],
    })
  })
})
