import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import type { TokenizerReference } from '../../shared/session/audit/plan.ts'
import { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { type Conversation, conversation } from '../helpers/conversation.ts'
import { testTokenizerPath } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply, turnsOf } from './dumps.ts'
import { testHost } from './test-host.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

const checkOf = (report: Report, code: string) => report.checks.find((check) => check.code === code)
const verdictOf = (report: Report, id: string) => report.hypotheses.find((hypothesis) => hypothesis.id === id)
const reportOf = async (rollouts: readonly Conversation[], options: AuditOptions = {}) =>
  (await audited(lines(rollouts), options)).report()

describe('a policy', () => {
  /** Only the last assistant turn is trained. */
  const lastOnly = (seed: number) => {
    const turns = turnsOf(tokenizer, seed).map((turn, i) => (i === 2 ? { ...turn, train: false } : turn))
    return conversation(tokenizer, turns, { id: `rollout-${seed}` })
  }
  /** The newline after each assistant turn is trained as well. */
  const withNewlines = (seed: number) => {
    const turns = turnsOf(tokenizer, seed).map((turn) =>
      turn.role === 'assistant' ? { ...turn, train: { content: true, end: true, separator: true } } : turn,
    )
    return conversation(tokenizer, turns, { id: `rollout-${seed}` })
  }

  it('that the masks look like is suggested, and silences nothing', async () => {
    const report = await reportOf([1, 2, 3].map(lastOnly))
    expect(report.policy).toMatchObject({ id: 'rl', origin: 'default', suggested: 'last-turn', intended: [] })
    expect(checkOf(report, 'M03')).toMatchObject({ status: 'fail', affected: 3, intended: 0 })
    expect((await reportOf([1, 2, 3].map(withNewlines))).policy.suggested).toBe('sft')
  })

  it('that is given explains what it means, which is listed and fails nothing', async () => {
    const session = await audited(lines([1, 2, 3].map(lastOnly)), { policy: 'last-turn' })
    const report = session.report()
    expect(report.policy).toMatchObject({ id: 'last-turn', origin: 'given', suggested: null, intended: ['M03'] })
    expect(checkOf(report, 'M03')).toMatchObject({ status: 'pass', affected: 0, intended: 3, pattern: null })
    expect(report.findings.map(({ code, intended }) => [code, intended])).toEqual([
      ['M03', true],
      ['M03', true],
      ['M03', true],
    ])
    expect(session.rows([0])).toMatchObject([{ codes: [], worst: null }])
    expect(verdictOf(report, 'H02')?.verdict).toBe('contradicted')
    expect(checkOf(await reportOf([1, 2].map(withNewlines), { policy: 'sft' }), 'M11')).toMatchObject({
      status: 'pass',
    })
    expect(checkOf(await reportOf([1, 2].map(withNewlines)), 'M11')).toMatchObject({ status: 'fail' })
  })

  it('that is given is held against the mask: turns that it leaves out and the run trains are a fault', async () => {
    const rows = [1, 2, 3].map((seed) => conversation(tokenizer, turnsOf(tokenizer, seed), { id: `rollout-${seed}` }))
    const report = await reportOf(rows, { policy: 'last-turn' })
    expect(checkOf(report, 'M03')).toMatchObject({ status: 'fail', affected: 3, rate: 1, pattern: 'systematic' })
    const h02 = verdictOf(report, 'H02')
    expect(h02?.verdict).toBe('supported')
    // The model wrote these turns, whatever the policy says of them.
    expect(h02?.because.find(({ measure }) => measure.includes('did not write'))?.value).toBe(0)
    expect(checkOf(await reportOf(rows), 'M03')).toMatchObject({ status: 'pass' })
  })

  it('may intend single faults', async () => {
    const rollouts = [1, 2].map((seed) => rolloutWithTrainedReply(tokenizer, seed))
    const plain = await reportOf(rollouts)
    expect(verdictOf(plain, 'H02')?.verdict).toBe('supported')
    const report = await reportOf(rollouts, { intend: ['M01'] })
    expect(report.policy).toMatchObject({ id: 'rl', intended: ['M01'] })
    expect(checkOf(report, 'M01')).toMatchObject({ status: 'pass', affected: 0, intended: 2 })
    expect(report.findings.every(({ intended }) => intended === true)).toBe(true)
    expect(verdictOf(report, 'H02')?.verdict).toBe('contradicted')
  })
})

describe('the alignment of masks', () => {
  /** Every mask lies one token before its turns. */
  const early = (seed: number) =>
    cleanRollout(tokenizer, seed, {
      logprobs: undefined as never,
      editMask: (mask) => {
        mask.push(0)
        mask.shift()
      },
    })

  it('that nothing decides is asked for, and no fault', async () => {
    const report = await reportOf([1, 2, 3].map(early))
    expect(report.policy.mask_alignment).toBe('target')
    expect(checkOf(report, 'M06')).toMatchObject({ status: 'not-checkable' })
    expect(checkOf(report, 'M06')?.reason).toContain('--mask-alignment')
    expect(verdictOf(report, 'H02')).toMatchObject({ verdict: 'inconclusive' })
    expect(verdictOf(report, 'H02')?.missing.join()).toContain('alignment of the mask')
  })

  it('that is declared decides', async () => {
    const target = await reportOf([1, 2, 3].map(early), { maskAlignment: 'target' })
    expect(target.policy.mask_alignment).toBe('target')
    expect(target.checks.filter(({ status }) => status === 'fail')).toEqual([])
    expect(verdictOf(target, 'H02')?.verdict).toBe('contradicted')
    const token = await reportOf([1, 2, 3].map(early), { maskAlignment: 'token' })
    expect(token.policy.mask_alignment).toBe('token')
    expect(checkOf(token, 'M06')).toMatchObject({ status: 'fail', affected: 3, pattern: 'systematic' })
    expect(verdictOf(token, 'H02')?.verdict).toBe('supported')
  })
})

describe('limits', () => {
  const limited = (seed: number, limits: Record<string, number>) => cleanRollout(tokenizer, seed, { limits })

  it('are those that were given, else those of the dump where it has one', async () => {
    const dump = [limited(1, { max_seq_len: 900, max_turns: 4 }), limited(2, { max_seq_len: 900, max_turns: 5 })]
    expect((await reportOf(dump)).limits).toEqual({
      max_prompt_length: null,
      max_completion_length: null,
      max_seq_len: { value: 900, origin: 'metadata' },
      max_turns: null,
      max_tool_response_length: null,
    })
    const given = await reportOf(dump, { limits: { max_seq_len: 700, max_turns: null, max_prompt_length: 300 } })
    expect(given.limits).toMatchObject({
      max_seq_len: { value: 700, origin: 'given' },
      max_prompt_length: { value: 300, origin: 'given' },
      max_turns: null,
    })
  })

  it('decide what is near them', async () => {
    const rollouts = [1, 2, 3].map((seed) => cleanRollout(tokenizer, seed))
    const length = (await audited(lines(rollouts))).facts[0]?.length as number
    expect(verdictOf(await reportOf(rollouts), 'H04')?.verdict).toBe('not-checkable')
    expect(verdictOf(await reportOf(rollouts, { limits: { max_seq_len: length + 2 } }), 'H04')?.verdict).toBe(
      'supported',
    )
    expect(verdictOf(await reportOf(rollouts, { limits: { max_seq_len: 9999 } }), 'H04')?.verdict).toBe('contradicted')
  })

  it('of one file do not make the rows of another counted twice', async () => {
    // Open rows say nothing of why they end; the two files have limits of their own.
    const open = (seed: number, max_seq_len: number, model: string) =>
      cutRollout(tokenizer, seed, {
        reward: 1,
        limits: { max_seq_len },
        more: { model, finish_reason: undefined, is_truncated: undefined },
      })
    const length = (open(1, 1, 'a').record.input_ids as number[]).length
    const files = [
      memorySource(lines([open(1, 4096, 'Qwen/Qwen2.5-7B'), open(2, 4096, 'Qwen/Qwen2.5-7B')]), 512, 'a'),
      memorySource(lines([open(3, length, 'Qwen/Qwen2.5-3B'), open(4, length, 'Qwen/Qwen2.5-3B')]), 512, 'b'),
    ]
    expect(checkOf((await audited(files)).report(), 'C03')?.checked).toBe(4)
  })
})

describe('groups, checks and hypotheses', () => {
  it('are complete at the size that is given', async () => {
    const rollouts = [0, 1, 2, 3].map((seed) => cleanRollout(tokenizer, seed, { group: `g${seed >> 1}`, reward: 1 }))
    expect(checkOf(await reportOf(rollouts), 'A01')).toMatchObject({ status: 'fail', checked: 2 })
    expect(checkOf(await reportOf(rollouts, { groupSize: 4 }), 'A01')).toMatchObject({
      status: 'not-checkable',
      reason: 'incomplete groups',
      checked: 0,
      rate: null,
    })
  })

  it('run only where they are asked for', async () => {
    const rollouts = [rolloutWithTrainedReply(tokenizer, 1)]
    const report = await reportOf(rollouts, { checks: ['T05', 'M01', 'Z99'], hypotheses: ['H07', 'H02'] })
    expect(report.checks.map(({ code }) => code)).toEqual(['M01', 'T05'])
    expect(report.hypotheses.map(({ id }) => id)).toEqual(['H02', 'H07'])
    expect(report.findings.map(({ code }) => code)).toEqual(['M01'])
  })
})

describe('a tokenizer', () => {
  const text = (file: 'tokenizer.json' | 'tokenizer_config.json') =>
    readFileSync(testTokenizerPath('qwen2.5', file), 'utf8')
  const added = (more: Partial<Extract<TokenizerReference, { kind: 'files' }>> = {}): TokenizerReference => ({
    kind: 'files',
    id: 'our-own',
    title: 'our-own',
    origin: 'file',
    tokenizer: text('tokenizer.json'),
    config: text('tokenizer_config.json'),
    ...more,
  })
  const open = (options: AuditOptions, tokenizers: readonly TokenizerReference[] = []) =>
    audited(lines([cutRollout(tokenizer, 1), rolloutWithTrainedReply(tokenizer, 2)]), options, testHost(), {
      addedTokenizers: tokenizers,
    })

  it('is chosen from the ids, with its evidence', async () => {
    const { tokenizer: chosen } = (await open({})).report()
    expect(chosen).toMatchObject({ id: 'qwen2.5', origin: 'bundled' })
    expect(chosen.confidence).toBeGreaterThan(0.5)
    expect(chosen.evidence.join()).toContain('turn starts are followed by a role name')
  })

  it('is the bundled one that was named, whether it fits or not', async () => {
    const session = await open({ tokenizer: 'llama3' })
    expect(session.report().tokenizer).toMatchObject({ id: 'llama3', origin: 'given', confidence: 0 })
    expect((await session.detail(0)).text).not.toContain('<|im_start|>')
    expect(session.report().totals.turns).toBe(0)
  })

  it('that nobody has is refused with a sentence', async () => {
    await expect(open({ tokenizer: 'gpt-9' })).rejects.toThrow(
      'There is no tokenizer called gpt-9. Name qwen2.5, qwen3, llama3, or give a folder with a tokenizer.json.',
    )
  })

  it.each(['file', 'cache'] as const)('of a %s is used as the bundled one is', async (origin) => {
    const session = await open({ tokenizer: 'our-own' }, [added({ origin })])
    expect(session.report().tokenizer).toMatchObject({ id: 'our-own', origin })
    const { tokenizer: _, ...same } = (await open({ tokenizer: 'qwen2.5' })).report()
    expect(session.report()).toMatchObject(same)
    expect(session.report().totals.tokens.lost).toBe(10)
  })

  it.each([
    ['no JSON', 'not json', /our-own \(tokenizer\.json\) is not JSON: .*Give the file/],
    ['another JSON', '{"input_ids": [1]}', /not a tokenizer\.json/],
    ['an empty vocabulary', '{"model": {"vocab": {}}}', /not a tokenizer\.json/],
  ])('that is %s is refused with a sentence', async (_, broken, sentence) => {
    const reference = added({ tokenizer: broken, config: null })
    await expect(Session.checkTokenizer(reference, testHost())).rejects.toThrow(sentence)
    await expect(open({ tokenizer: 'our-own' }, [reference])).rejects.toThrow(sentence)
  })

  it('whose configuration is no JSON is refused with a sentence', async () => {
    const reference = added({ config: '{' })
    await expect(Session.checkTokenizer(reference, testHost())).rejects.toThrow(
      'our-own (tokenizer_config.json) is not JSON',
    )
  })

  it('that can show ids but encode no text costs the count of lost tokens, and nothing else', async () => {
    const files = JSON.parse(text('tokenizer.json')) as { pre_tokenizer: object }
    files.pre_tokenizer = { type: 'OfTheFuture' }
    const session = await open({ tokenizer: 'our-own' }, [added({ tokenizer: JSON.stringify(files) })])
    expect(session.report().totals.tokens.lost).toBe(0)
    expect(checkOf(session.report(), 'M01')?.affected).toBe(1)
    const { lost, text: shown } = await session.detail(0)
    expect(shown).toContain('Where does river 1 rise?')
    expect(lost).toMatchObject([{ tokens: null, text: null, what: 'The last turn is not closed' }])
  })
})
