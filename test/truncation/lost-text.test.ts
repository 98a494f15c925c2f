import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCutJson } from '../../shared/checks/truncation/cut-json.ts'
import { isPromptCut } from '../../shared/checks/truncation/prompt-faults.ts'
import { finalAnswer } from '../../shared/checks/truncation/reward-for-cut-text.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditDump } from '../checks/audit.ts'
import scored from '../fixtures/checks/C12.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import {
  assistant,
  type Conversation,
  call,
  conversation,
  type RecordOptions,
  system,
  type TurnSpec,
  tool,
  user,
} from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { findings } from './findings.ts'

describe('C07', () => {
  it.each([
    ['{"name": "search", "arguments": {"query": "Night', true],
    ['{"name": "search", "arguments": {"query": "Night"}', true],
    ['<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>', false],
    ['<tool_call>\n{"name": "a", "arguments": {"q": "}\\"{"}}\n</tool_call>', false],
    ['{"name": search, "arguments" {}}', false],
    ['search("x")', false],
  ])('%s', (call, cut) => {
    expect(isCutJson(call)).toBe(cut)
  })

  it('names a call that stops in the middle and is answered', async () => {
    const audit = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => [
        searchRow(tokenizer, 0, {
          call: { text: '<tool_call>\n{"name": "search", "arguments": {"query": "Ni\n</tool_call>' },
        }),
      ],
    })
    expect(audit.byCode.get('C07')?.findings).toMatchObject([{ turn: 2, evidence: { closed: true, next: 'user' } }])
  })

  it.each([
    ['a quote is missing', '{"name": "search", "arguments": {"query": "Ni}}', {}],
    ['a brace is missing', '{"name": "search", "arguments": {"query": "Night"}', {}],
    ['the model closed it itself', '{"name": "search", "arguments": {"query": "Ni', { sampled: true }],
  ])('takes a call that is closed for the model’s own where %s', async (_, json, options: RecordOptions) => {
    const audit = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => [searchRow(tokenizer, 0, { call: { text: `<tool_call>\n${json}\n</tool_call>` } }, options)],
    })
    expect(audit.byCode.get('C07')?.findings ?? []).toEqual([])
  })

  const BRACED = '{"name": "search", "arguments": {"query": "Night"}'
  /** Findings where the first of two calls stops behind its inner brace, and is answered. */
  async function braced({
    limit = null,
    first = BRACED,
    unsampled = [],
  }: {
    readonly limit?: number | null
    readonly first?: string
    /** Calls whose closing tag and end token the model did not write. */
    readonly unsampled?: readonly number[]
  }) {
    const audit = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => {
        const again = [
          assistant(call(tokenizer, 'search', { query: 'Harbour' })),
          tool('Nothing was found.'),
          assistant('Nobody knows.'),
        ]
        const text = `<tool_call>\n${first}\n</tool_call>`
        const row = searchRow(
          tokenizer,
          0,
          { call: { text }, answer: again[0] as TurnSpec, after: () => again.slice(1) },
          {
            sampled: unsampled.length > 0,
            ...(limit === null ? {} : { limits: { max_completion_length: limit } }),
          },
        )
        const calls = row.layout.filter(({ role }) => role === 'assistant')
        for (const at of unsampled) row.record.sampled?.fill(0, calls[at]!.contentEnd - 1, calls[at]!.end)
        return [row]
      },
    })
    return audit.byCode.get('C07')?.findings ?? []
  }

  it('names one that is closed behind its inner brace where the turn comes to its limit', async () => {
    expect(await braced({})).toEqual([])
    expect(await braced({ limit: 16 })).toMatchObject([{ turn: 2, evidence: { closed: true, limit: { value: 16 } } }])
    expect(await braced({ limit: 200 })).toEqual([])
    expect(await braced({ limit: 16, first: `${BRACED}}` })).toEqual([])
  })

  it('names one that is closed behind its inner brace where the model did not close it, and closes its calls itself', async () => {
    expect(await braced({ unsampled: [0] })).toMatchObject([{ turn: 2, evidence: { closed: true } }])
    expect(await braced({ unsampled: [0], first: `${BRACED}}` })).toEqual([])
    expect(await braced({ unsampled: [1] })).toEqual([])
    // The tag is a stop string that the framework writes again.
    expect(await braced({ unsampled: [0, 1] })).toEqual([])
  })

  it.each([
    ['llama3', '{"name": "search", "parameters": {}}', 0],
    ['llama3', '{"name": "search", "parameters": {"query": "Ni', 1],
    ['qwen2.5', '<tool_call>\n{"name": "search", "arguments": {}}', 1],
    ['qwen2.5', '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>', 0],
  ] as const)('of %s needs what closes its calls: %s without an end token', async (family, text, named) => {
    const audit = await auditDump({
      story: '',
      family,
      rows: (tokenizer) => [searchRow(tokenizer, 0, { call: { text, end: false } })],
    })
    expect(audit.byCode.get('C07')?.findings ?? []).toHaveLength(named)
  })
})

/** What ShareGPT calls them. */
const OTHER_NAMES: Readonly<Record<string, string>> = { user: 'human', assistant: 'gpt' }

describe('C12', () => {
  it('counts at the end of rows, whose last turn holds the answer whichever it is', async () => {
    const { tally } = (await auditDump(scored.trips)).byCode.get('C12')!
    expect(tally.affected).toBeGreaterThan(0)
    expect(tally.byTurnAtEnd).toEqual(tally.byTurn)
    expect(tally.byTurnCheckedAtEnd).toEqual(tally.byTurnChecked)
  })

  it('looks for the tagged answer, else for the end of the text', () => {
    expect(finalAnswer('So <answer>a</answer> or\n<answer>the  Olsa\n</answer>', 80)).toBe('<answer>the Olsa </answer>')
    expect(finalAnswer('It is \\boxed{42}.', 80)).toBe('\\boxed{42}')
    expect(finalAnswer(`${'x'.repeat(200)} end`, 80)).toHaveLength(80)
    expect(finalAnswer(' \n', 80)).toBeNull()
    expect(finalAnswer(null, 80)).toBeNull()
  })

  it('is the end of the whole text, however it is spelt', () => {
    const unit = fc.constantFrom(
      'a',
      'e',
      'Z',
      ' ',
      '\n',
      '\u0301',
      '\u0327',
      '\u1100',
      '\u1161',
      '文',
      '\u{1f600}',
      '.',
    )
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (content, tail) => {
        const whole = content.normalize('NFC').replace(/\s+/g, ' ').trim()
        expect(finalAnswer(content, tail)).toBe(whole === '' ? null : whole.slice(-tail))
      }),
    )
  })

  it.each([
    ['is not rewarded', { reward: 0 }],
    ['is masked whole', { editMask: (mask: number[]) => mask.fill(0) }],
    ['has no messages', { messages: false }],
  ] as const)('is silent where the cut row %s', async (_, options) => {
    expect((await findings('C12', {}, { messages: true, cutRight: 9, ...options })).findings).toEqual([])
  })

  it.each([
    [
      'names an answer that the ids lost though the model is said to have stopped by itself',
      9,
      ['<answer>Ines Valdoro'],
    ],
    ['is silent where they lack the string alone on which the model was stopped', 5, []],
    ['is silent where they lack the end token alone', 2, []],
  ])('%s', async (_, cutRight, answers) => {
    const { findings: found } = await findings('C12', {}, { messages: true, finishReason: 'stop', cutRight })
    expect(found.map(({ evidence }) => evidence?.answer)).toEqual(answers)
  })

  it('names an answer of messages that call the model by another name', async () => {
    const audit = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => {
        const row = searchRow(tokenizer, 0, {}, { messages: true, reward: 0.8, cutRight: 9 })
        const messages = row.record.messages?.map((message) => ({
          ...message,
          role: OTHER_NAMES[message.role] ?? message.role,
        }))
        return [{ ...row, record: { ...row.record, messages } as Conversation['record'] }]
      },
    })
    expect(audit.byCode.get('C12')?.findings).toMatchObject([
      { evidence: { answer: expect.stringContaining('Ines Valdoro') } },
    ])
  })

  it('names an answer whose whole turn was cut away', async () => {
    // The row then ends with a closed call and its reply, as a whole one might.
    const { findings: found } = await findings('C12', {}, { messages: true, cutRight: 24 })
    expect(found[0]).toMatchObject({
      record: 0,
      evidence: { answer: '<answer>Ines Valdoro</answer>', cut: 'right', lost_parts: ['answer'] },
    })
  })
})

describe('C02', () => {
  const QUESTION = `Who made the film? ${'It was shot in the old port, on the quay and on the pier. '.repeat(4)}And who wrote the music?`
  const asked = (visible: string) => ({ user: { text: visible } })
  const told = (tokenizer: Tokenizer, visible: string, options: RecordOptions = {}) =>
    searchRow(tokenizer, 0, asked(visible), {
      more: {
        messages: [
          { role: 'user', content: QUESTION },
          { role: 'assistant', content: 'I look it up.' },
        ],
      },
      ...options,
    })
  const audited = async (rows: (tokenizer: Tokenizer) => Conversation[]) =>
    (await auditDump({ story: '', family: 'qwen2.5', rows })).byCode.get('C02')!

  it('holds it against a message that calls who asks, and who answers, by another name', async () => {
    const messages = [
      { role: 'human', content: QUESTION },
      { role: 'gpt', content: 'I look it up.' },
    ]
    const rows = (tokenizer: Tokenizer) => [told(tokenizer, QUESTION.slice(0, 120), { more: { messages } })]
    expect((await audited(rows)).findings).toMatchObject([{ turn: 1, evidence: { cut: 'right', role: 'user' } }])
  })

  it.each([
    ['right', QUESTION.slice(0, 120)],
    ['middle', QUESTION.slice(0, 60) + QUESTION.slice(-60)],
  ])('holds a question against its message: cut on the %s', async (cut, visible) => {
    let turn: Conversation['layout'][number] | undefined
    const { findings: found } = await audited((tokenizer) => {
      const row = told(tokenizer, visible)
      turn = row.layout[1]
      return [row]
    })
    expect(found).toMatchObject([{ severity: 'error', turn: 1, evidence: { cut, role: 'user' } }])
    // What follows is shown as evidence; the marked tokens are those of the turn that lacks something.
    expect(found[0]?.tokens?.[0]).toBeGreaterThanOrEqual(turn!.start)
    expect(found[0]?.tokens?.[1]).toBe(turn!.end)
    expect(String(found[0]?.evidence.after)).toContain('assistant')
    expect(found[0]?.evidence.lost_tokens).toBeGreaterThan(10)
  })

  it('has lost nothing where an end token that the question spells ended the turn, and the rest stands behind it', async () => {
    const torn = (isThere: boolean) => (tokenizer: Tokenizer) => {
      const spelt = tokenizer.encode(QUESTION)
      const [left, right] = [spelt.slice(0, 12), spelt.slice(12)].map((part) =>
        decodeSpan(tokenizer.table, Int32Array.from(part)),
      )
      const messages = [
        { role: 'user', content: `${left}<|im_end|>${right}` },
        { role: 'assistant', content: 'I look it up.' },
      ]
      const row = told(tokenizer, QUESTION, { more: { messages } })
      const { contentStart, contentEnd } = row.layout[1]!
      const [at, gone] = [contentStart + 12, isThere ? 0 : contentEnd - contentStart - 12]
      const { input_ids: ids, loss_mask: mask } = row.record
      const record = {
        ...row.record,
        input_ids: ids.toSpliced(at, gone, 151645),
        loss_mask: mask!.toSpliced(at, gone, 0),
      }
      return [{ ...row, record }]
    }
    expect((await audited(torn(true))).findings).toEqual([])
    expect((await audited(torn(false))).findings).toHaveLength(1)
    // Nor is it another prompt than that of its group (A05).
    expect(isPromptCut((await auditDump({ story: '', family: 'qwen2.5', rows: torn(true) })).views[0]!)).toBe(true)
  })

  it('is silent where the whole question is there', async () => {
    expect((await audited((tokenizer) => [told(tokenizer, QUESTION)])).findings).toEqual([])
  })

  const SYSTEM = 'You are a careful assistant. Search before you answer, and say where you found it.'
  const runTogether =
    (visible: string, [asks, answers]: readonly string[] = ['user', 'assistant']) =>
    (tokenizer: Tokenizer) => [
      conversation(tokenizer, [system(visible), assistant('I look it up.')], {
        more: {
          messages: [
            { role: 'system', content: SYSTEM },
            { role: asks as string, content: QUESTION },
            { role: answers as string, content: 'I look it up.' },
          ],
        },
      }),
    ]

  it.each([
    ['user', 'assistant'],
    ['human', 'gpt'],
  ])('sees a system turn that ends with the end of the question, whose own turn is gone, in messages of %s and %s', async (...names) => {
    const { findings: found } = await audited(runTogether(SYSTEM.slice(0, 40) + QUESTION.slice(-60), names))
    expect(found).toMatchObject([{ turn: 0, evidence: { cut: 'middle', role: 'system' } }])
    expect(found[0]?.message).toContain('the last 60 characters of the question')
  })

  it('leaves a frame alone that puts the whole question, or none of it, into the system turn', async () => {
    for (const visible of [`${SYSTEM}\n${QUESTION}`, SYSTEM]) {
      expect((await audited(runTogether(visible))).findings).toEqual([])
    }
  })

  it('sees a completion that begins inside the question', async () => {
    const { findings: found } = await audited((tokenizer) => {
      const row = conversation(tokenizer, [user('Who made the film?'), user('Who wrote the music? Ines Valdoro did.')])
      const at = row.layout[1]!.contentStart + 4
      row.record.prompt_length = at
      row.record.loss_mask = row.record.input_ids.map((_, token) => (token >= at ? 1 : 0))
      return [row]
    })
    expect(found).toMatchObject([{ turn: 1, evidence: { cut: 'right' } }])
  })

  it('has no other system text where the prompt ends inside it and the completion follows', async () => {
    const { views } = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => {
        const row = conversation(tokenizer, [system(SYSTEM), user('Who made the film?'), assistant('Ines Valdoro.')])
        const cut = structuredClone(row)
        cut.record.prompt_length = row.layout[0]!.contentEnd - 3
        return [row, cut]
      },
    })
    expect(views[0]?.facts.systemHash).toEqual(expect.any(String))
    expect(views[1]?.facts.systemHash).toBeNull()
  })
})

describe('C05', () => {
  const rows = (flags: readonly boolean[]) =>
    flags.map((isTruncated, i) => factsOf(i, { isTruncated, lastToken: isTruncated ? 128008 : 128009 }))

  it('names an end token that is flagged as a cut every time', () => {
    const { findings: found, tally } = runOver('C05', dumpOf(rows([true, true, true, false, false])))
    expect(tally).toMatchObject({ checked: 3, affected: 3 })
    expect(found[0]).toMatchObject({ severity: 'error', record: 0, evidence: { last_token: 128008 } })
  })

  it.each([
    ['max_turns', (limit: number) => ({ assistantTurns: limit })],
    ['max_seq_len', (limit: number) => ({ realLength: limit - 4 })],
    ['max_prompt_length', (limit: number) => ({ promptLength: limit - 4 })],
    ['max_completion_length', (limit: number) => ({ assistantLengths: [30, limit - 4] })],
  ] as const)('judges each rollout by its own %s', (name, at) => {
    const flagged = (reached: (limit: number) => number) =>
      dumpOf(
        rows(Array.from({ length: 40 }, () => true)).map((row, i) => {
          const limit = i < 20 ? 150 : 250
          return { ...row, limits: { [name]: limit }, ...at(reached(limit)) }
        }),
      )
    expect(
      runOver(
        'C05',
        flagged((limit) => limit),
      ).tally.affected,
    ).toBe(0)
    // As long as the limit of the others, or as half of its own.
    expect(
      runOver(
        'C05',
        flagged((limit) => (limit === 250 ? 150 : 75)),
      ).tally.affected,
    ).toBe(40)
  })

  it('is silent where others with the same end token are not flagged, at a limit, and where text was lost', () => {
    const same = rows([true, true, true, false]).map((row) => ({ ...row, lastToken: 128009 }))
    expect(runOver('C05', dumpOf(same)).tally.affected).toBe(0)
    const flagged = rows([true, true, true])
    expect(runOver('C05', dumpOf(flagged, { limits: { max_seq_len: 200 } })).tally.affected).toBe(0)
    expect(runOver('C05', dumpOf(flagged.map((row) => ({ ...row, lost: 9 })))).tally.affected).toBe(0)
  })
})
