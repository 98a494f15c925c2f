import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weightUnits } from '../../shared/model/weight.ts'
import { type FixtureDump, searchRow, searchRows } from '../fixtures/checks/fixture.ts'
import type { Conversation, RecordOptions, TurnLayout, TurnSpec } from '../helpers/conversation.ts'
import { assistant, call, conversation, system, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

function audit(rows: readonly Conversation[], dump: Omit<FixtureDump, 'rows' | 'story' | 'family'> = {}) {
  const trajectories = rows.map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  return auditTrajectories(trajectories, qwen2, dump)
}

const words = fc.stringMatching(/^[a-zA-Zéß東 .,?!0-9<>{}"]{1,40}$/).filter((text) => text.trim() !== '')

describe.each(FAMILIES)('a mask that equals the oracle (%s)', (family) => {
  it('trips no check of masks, whatever the conversation', async () => {
    const tokenizer = await testTokenizer(family)
    const exchange = fc.tuple(words, words, fc.boolean())
    const options = fc.record({
      padLeft: fc.nat(4),
      padRight: fc.nat(4),
      cut: fc.boolean(),
      sampled: fc.boolean(),
      separator: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 4 }), words, options, (exchanges, end, more) => {
        const turns: TurnSpec[] = [system('Be brief.'), user('Go.')]
        for (const [said, reply, calls] of exchanges) {
          const text = calls ? call(tokenizer, 'search', { query: said }) : said
          turns.push(assistant(text, { separator: more.separator }), calls ? tool(reply) : user(reply))
        }
        turns.push(assistant(end, { end: !more.cut }))
        const row = conversation(tokenizer, turns, more)
        const { failing } = auditTrajectories([trajectoryOf(row)], tokenizer)
        expect(failing.filter((code) => code.startsWith('M'))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('one fault is not named twice', () => {
  it('a turn is left out beside others: a rollout of one turn has no place for that', async () => {
    const first = { call: { train: false } } as const
    const { byCode } = await auditDump({ story: 'first', family: 'qwen2.5', rows: searchRows(first) })
    const alone = conversation(qwen2, [system('Be brief.'), user('Go.'), assistant('Gone.')])
    expect(byCode.get('M03')?.tally).toMatchObject({ checked: 3, affected: 3 })
    expect(audit([alone]).byCode.get('M03')?.tally.checked).toBe(0)
  })

  it('a turn is left out beside one that holds nothing, and of which the end token is trained', () => {
    const row = (empty: boolean, second: boolean) =>
      conversation(qwen2, [
        user('Go.'),
        assistant('', empty ? {} : { train: false }),
        user('?'),
        assistant('Gone.', second ? {} : { train: false }),
      ])
    const { failing, byCode } = audit([row(true, false)])
    expect(failing).toEqual(['M03'])
    expect(byCode.get('M03')?.findings[0]).toMatchObject({
      turn: 3,
      message: expect.stringMatching(/turn 2 is masked/),
    })
    expect(audit([row(true, true)]).failing).toEqual([])
    expect(audit([row(false, false)]).byCode.get('M03')?.tally.checked).toBe(0)
    expect(audit([row(false, true)], { policy: 'last-turn' }).failing).toEqual([])
  })

  it.each([
    [false, /^Assistant turn 1 is masked out: none of its (\d+) tokens carries loss$/, 0],
    [
      { content: false, end: true },
      /^Assistant turn 1 is masked out: only its end token, of (\d+) tokens, carries loss$/,
      1,
    ],
  ] as const)('a turn that is left out (%j) has as many tokens as the model wrote, its end token with them', (train, says, ends) => {
    const { byCode } = audit([searchRow(qwen2, 0, { call: { train } })])
    const told = byCode.get('M03')?.findings[0]
    const [start = 0, end = 0] = told?.tokens ?? []
    expect(told?.message).toMatch(says)
    expect(Number(says.exec(told?.message ?? '')?.[1])).toBe(end - start + ends)
    expect(told?.evidence.turn_tokens).toBe(end - start + ends)
  })

  it.each([
    ['the header behind a reply', { answer: { train: { header: true } } }, { M01: 3, M08: 4 }],
    ['the newline before it', { call: { train: { separator: true } } }, { M01: 3, M11: 2 }],
  ] as const)('a reply that is trained whole hides no edge beside it: %s', (_, edge, turns) => {
    const { failing, byCode } = audit([searchRow(qwen2, 0, { reply: { train: true }, ...edge })])
    expect(failing).toEqual(Object.keys(turns))
    for (const [code, turn] of Object.entries(turns)) expect(byCode.get(code)?.findings[0]?.turn).toBe(turn)
  })

  it('the old path of verifiers is M08 from turn 2 on and M11', async () => {
    const rows = searchRows({
      call: { train: { separator: true } },
      answer: { train: { header: true, separator: true } },
    })
    const { byCode, failing } = await auditDump({ story: 'V5', family: 'qwen2.5', rows })
    expect(failing).toEqual(['M08', 'M11'])
    expect(byCode.get('M08')?.tally).toMatchObject({
      checked: 3,
      affected: 3,
      placesChecked: 9,
      placesAffected: 3,
      affectedTokens: 9,
      affectedWeight: weightUnits(9),
      byTurn: { 1: 0, 2: 3 },
      byBoundary: {
        'user>assistant': { checked: 3, affected: 0 },
        'assistant>tool': { checked: 3, affected: 0 },
        'tool>assistant': { checked: 3, affected: 3 },
      },
    })
    expect(byCode.get('M11')?.tally.byTurn).toEqual({ 1: 3, 2: 3 })
  })

  it.each([
    ['llama3', 1, ['M08']],
    ['llama3', 4, ['M08']],
    ['qwen2.5', 1, ['M11']],
    ['qwen2.5', 2, ['M08', 'M11']],
  ] as const)('loss that ends late reaches the header of the next turn (%s, by %i): M08', async (family, by, codes) => {
    const late = (mask: number[], layout: Conversation['layout']) => {
      const { endToken } = layout[2]!
      mask.fill(1, endToken, endToken + 1 + by)
    }
    const { byCode, failing } = await auditDump({ story: 'late', family, rows: searchRows({}, { editMask: late }) })
    expect(failing).toEqual(codes)
    expect(byCode.get('M08')?.tally.byTurn).toEqual({ 1: codes.includes('M08' as never) ? 3 : 0, 2: 0 })
  })

  it('the later path is T04, T05, T07 and M15', async () => {
    const rows = searchRows(
      { system: { text: 'Help.' }, call: { separator: false }, answer: { header: false } },
      { attention: 'loss' },
    )
    const { byCode, failing } = await auditDump({ story: 'V1 to V4', family: 'qwen2.5', rows })
    expect(failing).toEqual(['M15', 'T04', 'T05', 'T07'])
    expect(byCode.get('T05')?.tally.byTurn).toEqual({ 1: 0, 2: 3 })
    expect(byCode.get('T04')?.tally.byBoundary['assistant>tool']).toEqual({ checked: 3, affected: 3 })
    expect(byCode.get('T04')?.tally.byBoundary['system>user']).toEqual({ checked: 3, affected: 0 })
  })

  it('a row that is trained whole is M01 at every turn of the environment, not M05', () => {
    const row = searchRow(qwen2, 0, {}, { editMask: (mask) => mask.fill(1) })
    const { byCode, failing } = audit([row])
    expect(failing).not.toContain('M05')
    expect(failing).not.toContain('M02')
    expect(byCode.get('M01')?.findings.map(({ turn }) => turn)).toEqual([0, 1, 3])
  })
})

describe('a short turn that is trained beside long replies that are', () => {
  /** All but this turn of the model is as an inverted mask has it. */
  const failing = (trained: (mask: number[], turn: TurnLayout) => void) => {
    const long = `It says so here. ${'Nothing else is known of it. '.repeat(150)}`
    const editMask = (mask: number[], layout: readonly TurnLayout[]) => {
      mask.fill(0)
      for (const { role, contentStart, end } of layout) if (role !== 'assistant') mask.fill(1, contentStart, end)
      trained(mask, layout.at(-1)!)
    }
    const row = conversation(
      qwen2,
      [
        user(long),
        assistant('I search for it, since nobody has told me who made it.'),
        tool(long),
        assistant('She made it.'),
      ],
      {
        editMask,
      },
    )
    return audit([row]).failing.filter((code) => /^M0[1-3]/.test(code))
  }

  it('is M01 and M03 where it is trained from its first token through its last', () => {
    expect(failing((mask, { contentStart, endToken }) => mask.fill(1, contentStart, endToken + 1))).toEqual([
      'M01',
      'M03',
    ])
  })

  it('is M02 where it is not, or but for a part', () => {
    expect(failing(() => {})).toEqual(['M02'])
    expect(failing((mask, { endToken }) => mask.fill(1, endToken, endToken + 1))).toEqual(['M02'])
  })
})

describe('trained spans that begin late and end right', () => {
  const late = (by: number): RecordOptions => ({
    editMask: (mask, layout) => {
      for (const { role, contentStart } of layout)
        if (role === 'assistant') mask.fill(0, contentStart, contentStart + by)
    },
  })

  it.each([1, 2, 3])('are M06, by %i', (by) => {
    const row = searchRow(qwen2, 0, {}, late(by))
    const { byCode, failing } = audit([row])
    expect(failing.filter((code) => code.startsWith('M'))).toEqual(['M06'])
    const [found] = byCode.get('M06')!.findings
    expect(found?.message).toMatch(
      by === 1 ? /^The first token of every assistant turn carries no loss/ : /^The first \d tokens .* carry no loss/,
    )
    expect(found?.evidence).toMatchObject({ lag: 0, first_tokens_untrained: by })
    expect(byCode.get('M06')?.tally.affectedTokens).toBe(2 * by)
  })

  it('may be a beginning that every turn has by its template, unless it was sampled', () => {
    const same = (text: string) => ({ call: { text: `Well: ${text}` }, answer: { text: `Well: ${text} again` } })
    const silent = audit([searchRow(qwen2, 0, same('I look.'), late(1))])
    expect(silent.byCode.get('M06')?.findings).toEqual([])
    const told = audit([searchRow(qwen2, 0, same('I look.'), { ...late(1), sampled: true })])
    expect(told.byCode.get('M06')?.findings).toHaveLength(1)
  })

  it('are none where one turn alone begins late, or more is left out', () => {
    const once: RecordOptions = {
      editMask: (mask, layout) => mask.fill(0, layout[2]!.contentStart, layout[2]!.contentStart + 1),
    }
    const holes: RecordOptions = {
      editMask: (mask, layout, sampled) => {
        late(1).editMask?.(mask, layout, sampled)
        mask[layout[4]!.contentStart + 3] = 0
      },
    }
    for (const options of [once, holes, late(4)]) {
      expect(audit([searchRow(qwen2, 0, {}, options)]).byCode.get('M06')?.findings).toEqual([])
    }
  })
})

describe('severity', () => {
  it('an untrained end token is a warning where nothing tells that it was sampled', () => {
    const row = searchRow(qwen2, 0, { answer: { train: { end: false } } })
    expect(
      audit([row])
        .byCode.get('M10')
        ?.findings.map(({ severity, message }) => [severity, message]),
    ).toEqual([['warning', expect.stringMatching(/A warning and no error: neither logprobs nor flags .* tell/)]])
  })

  it.each([
    ['flagged as truncated', { isTruncated: true }],
    ['stopped by a length limit', { finishReason: 'length' }],
    ['excluded by the source', { more: { excluded: true } }],
    ['flagged as filtered', { more: { excluded: false }, cutRight: 3 }],
  ])('an empty mask is info where the row is %s', (_, options) => {
    const row = searchRow(qwen2, 0, { call: { train: false }, answer: { train: false } }, options)
    const { byCode, failing } = audit([row])
    expect(byCode.get('M04')?.findings.map(({ severity }) => severity)).toEqual(['info'])
    expect(failing.filter((code) => code !== 'M04' && code.startsWith('M'))).toEqual([])
  })

  it('a row that its source excludes trains nothing, whatever its mask says', () => {
    const row = searchRow(qwen2, 0, { reply: { train: { content: true } } }, { more: { excluded: true } })
    const { views, failing } = audit([row])
    expect(views[0]?.facts).toMatchObject({ trained: 0, weight: 0, excluded: true })
    expect(failing.filter((code) => code.startsWith('M'))).toEqual(['M04'])
  })
})

describe('what is not looked at', () => {
  it('an earlier turn that was not sampled in this rollout is no masked turn', () => {
    const row = searchRow(qwen2, 0, { call: { train: false } }, { logprobs: 'sampler' })
    const { contentStart, end } = row.layout[2]!
    row.record.logprobs = {
      sampler: row.record.logprobs!.sampler!.map((value, i) => (i >= contentStart && i < end ? 0 : (value ?? 0))),
    }
    const audited = audit([row], { format: { unsampledLogprob: 0 } })
    expect(audited.failing).toEqual([])
    expect(audited.byCode.get('M03')?.tally.placesChecked).toBe(1)
  })

  it('text without any turn has no oracle, and its mask is not judged by one', () => {
    const ids = qwen2.encode('Question: 2 + 2? Answer: 4')
    const mask = ids.map((_, i) => (i > 5 ? 1 : 0))
    const plain: Conversation = { record: { input_ids: ids, loss_mask: mask }, layout: [], sampled: mask }
    const { views, failing } = audit([plain])
    expect(views[0]).toMatchObject({ expected: null, expectedRl: null })
    expect(failing).toEqual([])
    const empty: Conversation = { ...plain, record: { input_ids: ids, loss_mask: ids.map(() => 0) } }
    expect(audit([empty]).failing).toEqual(['M04'])
  })

  it('a prompt alone has nothing to train', () => {
    const row = conversation(qwen2, [system('Help.'), user('Who?')], { generationPrompt: true })
    expect(audit([row]).byCode.get('M04')?.tally.checked).toBe(0)
  })
})

describe('replies spliced into an assistant turn', () => {
  const turns = [
    user('Who?'),
    assistant('<search>who</search><information>Ines Valdoro made it.</information>It was she.'),
  ]

  it('trained is M01', () => {
    const { failing, byCode } = audit([conversation(qwen2, turns)])
    expect(failing).toEqual(['M01'])
    expect(byCode.get('M01')?.findings[0]?.message).toMatch(
      /tokens of a tool reply inside an assistant turn carry loss/,
    )
  })

  it('masked is right, and so is a masked end token that the environment appended', () => {
    const { layout, sampled } = conversation(qwen2, turns)
    const view = audit([conversation(qwen2, turns)]).views[0]!
    const reply = view.segmentation!.turns[1]!.spans.find(({ part }) => part === 'tool')!
    const row = conversation(qwen2, turns, {
      editMask: (mask) => {
        mask.fill(0, reply.start, reply.end)
        mask[layout[1]!.endToken] = 0
      },
    })
    expect(sampled.length).toBe(row.record.input_ids.length)
    expect(audit([row]).failing).toEqual([])
  })
})
