import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../shared/containers/container.ts'
import { rerender } from '../../shared/tokens/template/rerender.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { searchRows } from '../fixtures/checks/fixture.ts'
import {
  assistant,
  conversation,
  type RecordOptions,
  SEARCH_TOOL,
  system,
  type TurnSpec,
  tool,
  trajectoryOf,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, lines } from '../session/dumps.ts'
import { auditTrajectories } from './audit.ts'
import { type Edit, findingsOf, resultOf, search } from './findings-of.ts'

describe('T05', () => {
  const nobody = (text: string, train: boolean) => ({
    role: '',
    text,
    train: train ? { content: true, end: true } : false,
  })
  const rows = (train: boolean) => (tokenizer: Tokenizer) => [
    conversation(tokenizer, [user('Is it red?'), assistant('I look.'), tool('Red.'), nobody('Yes.', train)]),
  ]

  it.each([
    'qwen2.5',
    'llama3',
  ] as const)('names a trained turn of %s whose header has lost its role', async (family) => {
    const [finding] = await findingsOf('T05', family, rows(true))
    expect(finding?.message).toMatch(/header without a role/)
    expect(finding?.turn).toBe(3)
    expect(await findingsOf('T05', family, rows(false))).toEqual([])
  })
})

describe('T06', () => {
  const header = assistant('', { end: false, separator: false, train: false })
  const rows = (tokenizer: Tokenizer) =>
    ['It is red.', 'It is blue.', 'It is grey.'].map((answer) =>
      conversation(tokenizer, [
        user('Is it red?'),
        header,
        assistant('I look.'),
        tool('Red.'),
        header,
        assistant(answer, { train: { end: false } }),
      ]),
    )

  it.each([
    'qwen2.5',
    'llama3',
  ] as const)('counts a turn of %s with two headers once, and what is behind it where it stands', async (family) => {
    const tokenizer = await testTokenizer(family)
    const trajectories = rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
    const { byCode } = auditTrajectories(trajectories, tokenizer)
    expect(byCode.get('T06')?.tally).toMatchObject({ placesChecked: 6, placesAffected: 6, byTurn: { 1: 3, 2: 3 } })
    expect(byCode.get('M10')?.tally.byTurn).toEqual({ 1: 0, 2: 3 })
  })
})

describe('T07', () => {
  const named = (name: string) => ({ ...SEARCH_TOOL, function: { ...SEARCH_TOOL.function, name } })
  const prompt = (...names: string[]) => ({ system: { text: withToolSchema('Answer.', names.map(named)) } })

  it('names tools of the record that a prompt with other tools does not', async () => {
    const tools = [named('look_up'), named('open_page')]
    const [finding] = await findingsOf('T07', 'qwen2.5', search(prompt('calculator'), { tools }))
    expect(finding?.message).toMatch(/names none of look_up, open_page/)
  })

  it('names a tool of the record that the model calls and a prompt with others does not have', async () => {
    const tools = [named('search'), named('open_page')]
    const [finding] = await findingsOf('T07', 'qwen2.5', search(prompt('open_page'), { tools }))
    expect(finding).toMatchObject({ severity: 'error', evidence: { absent: ['search'] } })
    expect(finding?.message).toMatch(/calls search, which the record has/)
    expect(await findingsOf('T07', 'qwen2.5', search(prompt('open_page', 'search'), { tools }))).toEqual([])
  })

  it('takes a name that is part of a word for none, and one that a server of tools prefixes for the tool', async () => {
    const careful = (text: string) => ({ system: { text } })
    const found = await findingsOf(
      'T07',
      'qwen2.5',
      search(careful('You are a careful research assistant.'), { tools: [] }),
    )
    expect(found.map(({ message }) => message)).toContain('The model calls a tool, the prompt describes none')
    expect(await findingsOf('T07', 'qwen2.5', search(careful('Call wiki_search to look up.'), { tools: [] }))).toEqual(
      [],
    )

    const own = { tools: [named('search')] }
    const [finding] = await findingsOf('T07', 'qwen2.5', search(prompt('research'), own))
    expect(finding?.message).toMatch(/names none of search/)
    expect(await findingsOf('T07', 'qwen2.5', search(prompt('wiki_search'), own))).toEqual([])
  })

  it('costs little where a prompt is full of braces', async () => {
    const braces = { system: { text: `${withToolSchema('Answer.')} ${'{"a": {'.repeat(1000)}` } }
    expect(await findingsOf('T07', 'qwen2.5', searchRows(braces, {}, 1))).toEqual([])
  })

  it('leaves a choice among many tools alone, and a prompt that was cut', async () => {
    const tools = [named('look_up'), named('open_page')]
    expect(await findingsOf('T07', 'qwen2.5', search(prompt('open_page'), { tools }))).toEqual([])
    const cut = { system: { ...prompt('calculator').system, end: false, separator: false } }
    expect(await findingsOf('T07', 'qwen2.5', search(cut, { tools }))).toEqual([])
  })
})

describe('A05', () => {
  it('leaves a rollout alone whose tools, which Llama writes before the question, are missing', async () => {
    const tools = `Given the following functions, please respond with a JSON for a function call.\n\n${JSON.stringify(SEARCH_TOOL, null, 4)}\n\n`
    const rendered = (tokenizer: Tokenizer, text: string, given: boolean, index: number) =>
      conversation(
        tokenizer,
        [
          system(`${given ? 'Environment: ipython\n' : ''}Cutting Knowledge Date: December 2023\n\n${text}`),
          user(`${given ? tools : ''}Who made it?`),
          assistant('{"name": "search", "parameters": {"query": "it"}}'),
          tool('Ada did.'),
          assistant(`Ada, ${index}.`),
        ],
        { group: index < 4 ? 'g' : 'h', reward: index % 2 },
      )
    const rows = (other: string) => (tokenizer: Tokenizer) =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
        rendered(tokenizer, index === 3 ? other : 'Be brief.', index !== 3, index),
      )
    const llama = await testTokenizer('llama3')
    const codes = async (other: string) => {
      const { findings } = (await audited(lines(rows(other)(llama)))).report()
      return findings.map(({ code }) => code).filter((code) => /A05|T07|T09/.test(code))
    }
    expect(await codes('Be brief.')).toEqual(['T07'])
    expect((await codes('Answer in French.')).sort()).toEqual(['A05', 'T07'])
  })
})

describe('T08', () => {
  it('names what the template of Llama writes for an empty list, call shape and all', async () => {
    const llama = await testTokenizer('llama3')
    const question = [{ role: 'user', content: 'Is it red?' }]
    const rendered = (tools: readonly JsonValue[] | null) => (tokenizer: Tokenizer) => {
      const [whole, turn] = [rerender(llama, question, tools)!, 'Is it red?<|eot_id|>']
      const [head, words] = whole.slice(0, whole.indexOf(turn)).split('<|start_header_id|>user<|end_header_id|>\n\n')
      const text = head!.replace(/^[\s\S]*<\|end_header_id\|>\n\n/, '').replace('<|eot_id|>', '')
      return [conversation(tokenizer, [system(text), user(`${words}Is it red?`), assistant('Yes.')])]
    }
    const [finding, ...more] = await findingsOf('T08', 'llama3', rendered([]))
    expect(more).toEqual([])
    expect(finding?.message).toMatch(/Environment: ipython/)
    expect(await findingsOf('T08', 'llama3', rendered([SEARCH_TOOL as never]))).toEqual([])
    expect(await findingsOf('T08', 'llama3', rendered(null))).toEqual([])
  })
})

describe('T09', () => {
  const turns = [user('Is it red?'), assistant('Yes.')]
  const said =
    (content: string): Edit =>
    () => ({
      messages: [
        { role: 'system', content },
        { role: 'user', content: 'Is it red?' },
      ],
    })

  it('names a system message that the ids have lost or replaced', async () => {
    const other = [system('You are a helpful assistant.'), ...turns]
    for (const ids of [turns, other]) {
      const rows = (tokenizer: Tokenizer) => [conversation(tokenizer, ids)]
      expect(await findingsOf('T09', 'qwen2.5', rows, said('Answer in French, always.'))).toHaveLength(1)
    }
  })

  it('finds the message within what the template adds to it', async () => {
    const rows = (tokenizer: Tokenizer) => [
      conversation(tokenizer, [system('Today Date: 26 Jul 2024\n\nAnswer in  French,\nalways.\n\n# Tools'), ...turns]),
    ]
    expect(await findingsOf('T09', 'llama3', rows, said('Answer in French, always.'))).toEqual([])
  })

  it('names the default of the template in the middle of a row, unless a message has it', async () => {
    const usual = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'
    const rows = (tokenizer: Tokenizer) => [
      conversation(tokenizer, [system('Be brief.'), ...turns, system(usual), tool('Red.'), assistant('It is.')]),
    ]
    const [finding] = await findingsOf('T09', 'qwen2.5', rows)
    expect(finding?.message).toMatch(/default system text stands in the middle of the row, at turn 3/)
    const meant: Edit = () => ({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'system', content: usual },
      ],
    })
    expect(await findingsOf('T09', 'qwen2.5', rows, meant)).toEqual([])
  })

  it('holds the rollouts of a group against each other, dates aside', async () => {
    const texts = [
      'Today Date: 01 May 2025\nBe brief.',
      'Today Date: 02 May 2025\nBe brief.',
      'Today Date: 02 May 2025\nBe kind.',
    ]
    const rows = (tokenizer: Tokenizer) =>
      texts.map((text) => conversation(tokenizer, [system(text), ...turns], { group: 'g' }))
    const { findings, tally } = await resultOf('T09', 'llama3', rows)
    expect(findings.map(({ record }) => record)).toEqual([2])
    expect(tally).toMatchObject({ checked: 3, affected: 1, placesChecked: 3, placesAffected: 1 })
  })
})

describe('T16', () => {
  const asText = (text: string) => (tokenizer: Tokenizer) => [
    { ...conversation(tokenizer, []), record: { input_ids: tokenizer.encode(text) } },
  ]

  it('names rows whose markers are letters, or are gone', async () => {
    const chat = 'system\nBe brief.\nuser\nIs it red?\nassistant\nYes.'
    const [removed] = await findingsOf('T16', 'qwen2.5', asText(chat))
    expect(removed?.message).toMatch(/without markers/)
    const ofLlama = 'system\n\nBe brief.user\n\nIs it red?assistant\n\nYes.'
    expect(await findingsOf('T16', 'llama3', asText(ofLlama))).toHaveLength(1)
  })

  it('names an end token that stands in letters', async () => {
    const text = 'The document says it.<|im_end|>'
    const rows = search({ answer: { text, specials: false } })
    const [spelt] = await findingsOf('T16', 'qwen2.5', rows)
    expect(spelt?.message).toMatch(/^"\.?<\|im_end\|>" is spelt by \d+ ordinary tokens in assistant turn 2$/)
    const within = { call: { text, specials: false, end: false } }
    expect(await findingsOf('T16', 'qwen2.5', search(within))).toHaveLength(1)
    // What the model itself wrote is no matter of encoding.
    expect(
      await findingsOf('T16', 'qwen2.5', search({ answer: { text, specials: false } }, { sampled: true })),
    ).toEqual([])
  })

  it('names the end token of an open question in letters, and no text that speaks of one', async () => {
    const question = (text: string, more: Partial<TurnSpec>) => (tokenizer: Tokenizer) => [
      conversation(tokenizer, [user(text, more), assistant('Yes.')]),
    ]
    const open = { specials: false, end: false }
    const [spelt, ...more] = await findingsOf('T16', 'qwen2.5', question('Is it red?<|im_end|>', open))
    expect(more).toEqual([])
    expect(spelt?.message).toMatch(/ordinary tokens in a user turn$/)
    expect(spelt?.turn).toBe(0)
    expect(await findingsOf('T16', 'qwen2.5', question('Is it <|im_end|>', { specials: false }))).toEqual([])
    expect(await findingsOf('T16', 'qwen2.5', question('Is <|im_end|> red?', open))).toEqual([])
  })

  it('leaves letters alone of which the dump tells only of some that the model wrote them', async () => {
    const text = 'The document says it.<|im_end|>'
    const edit: Edit = ({ mask }, _row) => ({
      sampled: Uint8Array.from(mask ?? [], (trained, i) => (trained === 0 ? 0 : i % 2 === 0 ? 255 : 1)),
    })
    expect(await findingsOf('T16', 'qwen2.5', search({ answer: { text, specials: false } }), edit)).toEqual([])
  })

  it('leaves letters of tags alone that a text speaks of, and a turn that a limit cut', async () => {
    // The tokenizer has an id for a tag wherever it stands in a text: pieces spell it.
    const spelt = (tokenizer: Tokenizer, pieces: readonly string[], end = true) =>
      [conversation(tokenizer, [user('Hi.'), assistant('X', { end }), user('Go on.'), assistant('Yes.')])].map(
        (row) => {
          const at = row.layout[1]!.contentStart
          const ids = pieces.flatMap((piece) => tokenizer.encode(piece))
          return { ...row, record: { input_ids: row.record.input_ids.toSpliced(at, 1, ...ids) } }
        },
      )
    const of = (pieces: readonly string[], end = true) =>
      findingsOf('T16', 'qwen3', (tokenizer) => spelt(tokenizer, pieces, end))
    expect(await of(['It is called by ', '<', 'tool', '_call', '>', ' in a line.'])).toEqual([])
    expect(await of(['One writes\n', '<', 'tool', '_call', '>', '\nand the call.'])).toEqual([])
    expect(await of(['It closes with ', '</', 'think', '>', '.'])).toEqual([])
    expect(await of(['A sentence that a limit cu'], false)).toEqual([])
    const [called] = await of([
      'So:\n',
      '<',
      'tool',
      '_call',
      '>',
      '\n{"name": "search", "arguments": {}}\n',
      '</',
      'tool',
      '_call',
      '>',
    ])
    expect(called?.message).toMatch(
      /^"<tool_call>", "<\/tool_call>" are spelt by \d+ ordinary tokens in assistant turn 1, if the model did not/,
    )
  })

  const WHOLE = '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>'
  /** Three turns with their replies and an answer; end tokens of some were taken, the newlines behind them stand. */
  const calls = (lacks: readonly number[], more: RecordOptions = {}, text = WHOLE, others = text) => {
    return (tokenizer: Tokenizer) => {
      const called = [0, 1, 2].flatMap((at) => [assistant(lacks.includes(at) ? text : others), tool('It is red.')])
      const turns = [user('Is it red?'), ...called, assistant('Yes, all three of them say that it is red.')]
      const { record, layout, ...rest } = conversation(tokenizer, turns, more)
      const taken = new Set(lacks.map((at) => layout[1 + 2 * at]!.endToken))
      const without = (values: readonly number[]) => values.filter((_, at) => !taken.has(at))
      const left = { ...record, input_ids: without(record.input_ids), loss_mask: without(record.loss_mask!) }
      return [{ ...rest, layout, record: left }]
    }
  }

  it('names an end token that is gone where the other calls of the rollout have theirs', async () => {
    const [gone, ...more] = await findingsOf('T16', 'qwen2.5', calls([1]))
    expect(more).toEqual([])
    expect(gone?.message).toMatch(/^The end token of assistant turn 2 is not there.*its call is complete, and 2 other/)
    expect(await findingsOf('T16', 'qwen2.5', calls([1], {}, 'I look.'))).toHaveLength(1)
  })

  it.each([
    ['calls that a stop string ends', calls([0, 1, 2])],
    ['a call that a stop string ends, of two that it does not', calls([0, 1])],
    [
      'turns that a stop string ends before the newline of the template',
      calls([0, 1, 2], {}, '<search> red </search>'),
    ],
    ['a turn at the limit that is known', calls([1], { limits: { max_completion_length: 24 } })],
    ['a turn that stops in mid-sentence', calls([1], {}, 'I look for the')],
    ['a turn of a rollout that a limit is said to have cut', calls([1], { finishReason: 'length' })],
    [
      'a turn as long as the longest',
      calls([1], {}, 'I look for the red one, and then for the other ones, one by one.', 'I look.'),
    ],
  ])('leaves %s alone', async (_, rows) => {
    expect(await findingsOf('T16', 'qwen2.5', rows)).toEqual([])
  })

  it('takes tags in letters for no error that the model may have written, and for one where it cannot have', async () => {
    const pieces = ['<', 'tool', '_call', '>', '\n{"name": "search", "arguments": {}}\n', '</', 'tool', '_call', '>']
    const spelt = (tokenizer: Tokenizer, trained: 0 | 1) =>
      [conversation(tokenizer, [user('Hi.'), assistant('X'), user('Go on.'), assistant('Yes.')])].map((row) => {
        const at = row.layout[1]!.contentStart
        const ids = pieces.flatMap((piece) => tokenizer.encode(piece))
        const loss_mask = row.record.loss_mask!.toSpliced(at, 1, ...ids.map(() => trained))
        return { ...row, record: { input_ids: row.record.input_ids.toSpliced(at, 1, ...ids), loss_mask } }
      })
    const [open] = await findingsOf('T16', 'qwen2.5', (tokenizer) => spelt(tokenizer, 1))
    expect(open).toMatchObject({ severity: 'info' })
    expect(open?.message).toMatch(/in assistant turn 1, if the model did not write the letters itself$/)
    const [masked] = await findingsOf('T16', 'qwen2.5', (tokenizer) => spelt(tokenizer, 0))
    expect(masked).toMatchObject({ severity: 'warning' })
    expect(masked?.message).toMatch(/in assistant turn 1$/)
  })

  it('leaves the text of a base model alone', async () => {
    expect(
      await findingsOf('T16', 'qwen2.5', asText('A conversation between a user and an assistant.\nUser: Hi.')),
    ).toEqual([])
  })
})

describe('T17', () => {
  it('names rows of Llama that are read with a tokenizer in which their headers are words', async () => {
    const [llama, qwen] = [await testTokenizer('llama3'), await testTokenizer('qwen2.5')]
    const [row] = search()(llama)
    const read = (tokenizer: Tokenizer) =>
      auditTrajectories([trajectoryOf(row!)], tokenizer).byCode.get('T17')!.findings
    expect(read(qwen)).toMatchObject([{ severity: 'error', evidence: { headers: row!.layout.length } }])
    expect(read(qwen)[0]?.message).toMatch(/headers of Llama's/)
    expect(read(llama)).toEqual([])
  })
})

describe('T18', () => {
  it('leaves newlines of questions, replies and earlier turns of the prompt alone', async () => {
    const rows = (tokenizer: Tokenizer) => [
      conversation(tokenizer, [user('Hi.'), assistant('\nHello.'), tool('\nFound.'), assistant('So it is.')]),
    ]
    // Header and content are encoded apart, as sampled ids are: nothing merges.
    expect(await findingsOf('T18', 'qwen2.5', rows)).toEqual([])
  })
})
