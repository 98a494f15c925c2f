import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import type { BundledTokenizerId, Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { type SearchChanges, searchRows } from '../fixtures/checks/fixture.ts'
import {
  assistant,
  type Conversation,
  conversation,
  type RecordOptions,
  system,
  tool,
  trajectoryOf,
  user,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

type Edit = (trajectory: Trajectory, row: Conversation, index: number) => Partial<Trajectory>

/** The findings of one code over rows, each trajectory edited before it is looked at. */
async function findingsOf(
  code: string,
  family: BundledTokenizerId,
  rows: (tokenizer: Tokenizer) => Conversation[],
  edit: Edit = () => ({}),
) {
  const tokenizer = await testTokenizer(family)
  const trajectories = rows(tokenizer).map((row, record) => {
    const trajectory = trajectoryOf(row, { source: 0, record, part: 0 })
    return { ...trajectory, ...edit(trajectory, row, record) }
  })
  return auditTrajectories(trajectories, tokenizer).byCode.get(code)!.findings
}

const search = (changes: SearchChanges = {}, options: RecordOptions = {}) => searchRows(changes, options, 1)

describe('M16', () => {
  const THINK_END = 151668
  const thoughts = { text: '<think>\nIt may be in the archive.\n</think>\n\nI look it up.' }

  it('names a closing tag that is masked alone', async () => {
    const rows = search(
      { call: thoughts },
      {
        editMask: (mask, layout) =>
          mask.fill(0, closing(layout[2]!.contentStart), closing(layout[2]!.contentStart) + 1),
      },
    )
    const tokenizer = await testTokenizer('qwen3')
    const at = conversation(tokenizer, [assistant(thoughts.text)]).record.input_ids.indexOf(THINK_END)
    // The header has three tokens.
    function closing(contentStart: number): number {
      return contentStart + at - 3
    }
    const [finding] = await findingsOf('M16', 'qwen3', rows)
    expect(finding).toMatchObject({
      severity: 'warning',
      evidence: { closing_tag_only: true, masked_reasoning_tokens: 1 },
    })
  })

  it('does not take an empty block of the template for a thought', async () => {
    const block = { prefill: '<think>\n</think>\n' }
    expect(await findingsOf('M16', 'qwen3', search({ call: block, answer: block }))).toEqual([])
  })
})

describe('M14', () => {
  it('believes the flag that a trained end token was not sampled', async () => {
    const findings = await findingsOf('M14', 'llama3', search({}, { sampled: true }), ({ sampled }, { layout }) => ({
      sampled: sampled!.with(layout[4]!.endToken, 0),
    }))
    expect(findings.map(({ message }) => message)).toEqual([
      'The end token of assistant turn 2 carries loss and was not sampled: the dump flags it as not sampled',
    ])
  })

  it('does not believe a missing logprob alone', async () => {
    const findings = await findingsOf(
      'M14',
      'llama3',
      search({}, { logprobs: 'sampler' }),
      ({ logprobs }, { layout }) => ({
        logprobs: { ...logprobs, sampler: logprobs.sampler!.with(layout[4]!.endToken, Number.NaN) },
      }),
    )
    expect(findings).toEqual([])
  })
})

describe('M18', () => {
  const credited =
    (first: number): Edit =>
    (trajectory, { layout }) => ({
      advantages: Float32Array.from(trajectory.ids!, (_, i) => (i >= layout[4]!.contentStart ? 0.5 + i / 1000 : first)),
      reward: 1,
    })

  it('names returns that start anew behind a reply', async () => {
    const [finding] = await findingsOf('M18', 'qwen2.5', search(), credited(0))
    expect(finding).toMatchObject({ severity: 'error', evidence: { reward: 1 } })
  })

  it('is silent where the turns before have some credit', async () => {
    expect(await findingsOf('M18', 'qwen2.5', search(), credited(0.25))).toEqual([])
  })
})

describe('S01', () => {
  const packed = (tokenizer: Tokenizer) => {
    const turns = [system('Be brief.'), user('Is it red?'), assistant('Yes.')]
    return [conversation(tokenizer, [...turns, system('Be brief.'), user('Is it blue?'), assistant('No.')])]
  }
  const start = (row: Conversation) => row.layout[3]!.start
  const positions =
    (restart: boolean): Edit =>
    ({ ids }, row) => ({
      positionIds: Int32Array.from(ids!, (_, i) => (restart && i >= start(row) ? i - start(row) : i)),
    })

  it('needs more than a second system turn to call a row packed', async () => {
    expect(await findingsOf('S01', 'qwen2.5', packed, positions(false))).toEqual([])
    expect(await findingsOf('S01', 'qwen2.5', packed, positions(true))).toEqual([])
  })

  it('takes numbered attention masks for a wall between documents', async () => {
    const numbered: Edit = (trajectory, row, index) => ({
      ...positions(false)(trajectory, row, index),
      sequenceIds: Int32Array.from(trajectory.ids!, (_, i) => (i >= start(row) ? 1 : 0)),
      attentionMask: Int32Array.from(trajectory.ids!, (_, i) => (i >= start(row) ? 2 : 1)),
    })
    expect(await findingsOf('S01', 'qwen2.5', packed, numbered)).toEqual([])
    const one: Edit = (trajectory, row, index) => ({
      ...numbered(trajectory, row, index),
      attentionMask: new Int32Array(trajectory.ids!.length).fill(1),
    })
    expect(await findingsOf('S01', 'qwen2.5', packed, one)).toMatchObject([{ severity: 'error' }])
  })
})

describe('S02', () => {
  const positioned =
    (position: (i: number) => number): Edit =>
    ({ ids }) => ({
      positionIds: Int32Array.from(ids!, (_, i) => position(i)),
    })

  it('names a jump in the middle, with the numbers', async () => {
    const findings = await findingsOf(
      'S02',
      'qwen2.5',
      search({}, { attention: 'ones' }),
      positioned((i) => (i < 9 ? i : i + 4)),
    )
    expect(findings.map(({ message, tokens }) => [message, tokens])).toEqual([
      ['Position 13 follows 8 at token 9, where 9 is due', [9, 10]],
    ])
  })

  it('leaves an attention mask that is the loss mask to M15', async () => {
    expect(
      await findingsOf(
        'S02',
        'qwen2.5',
        search({}, { attention: 'loss' }),
        positioned((i) => i * 2),
      ),
    ).toEqual([])
  })
})

describe('S05', () => {
  const splitAt =
    (at: (row: Conversation) => number): Edit =>
    (_, row) => ({ promptLength: at(row) })

  it('takes every edge of turns and every generation prompt for a split', async () => {
    for (const turn of [2, 4]) {
      for (const edge of ['start', 'headerEnd', 'end'] as const) {
        const findings = await findingsOf(
          'S05',
          'llama3',
          search(),
          splitAt(({ layout }) => layout[turn]![edge]),
        )
        expect(findings).toEqual([])
      }
    }
  })

  it('counts left padding or not, as the dump does', async () => {
    const rows = search({}, { padLeft: 6 })
    expect(
      await findingsOf(
        'S05',
        'qwen2.5',
        rows,
        splitAt(({ layout }) => layout[2]!.headerEnd),
      ),
    ).toEqual([])
    expect(
      await findingsOf(
        'S05',
        'qwen2.5',
        rows,
        splitAt(({ layout }) => layout[2]!.headerEnd - 6),
      ),
    ).toEqual([])
  })

  it.each([
    0, 9, 40,
  ])('places a split that is off by two at the header that it is near, behind padding of %i', async (left) => {
    const rows = search({}, { padLeft: left })
    const [row] = rows(await testTokenizer('qwen2.5'))
    const at = row!.layout[2]!.headerEnd - 2
    for (const stored of [at, at - left]) {
      const findings = await findingsOf(
        'S05',
        'qwen2.5',
        rows,
        splitAt(() => stored),
      )
      expect(findings[0]?.tokens).toEqual([at, at + 1])
      expect(findings[0]?.message).toMatch(/inside the header of assistant turn 1$/)
    }
  })

  it('names a split inside a question, and one behind trained words', async () => {
    const inQuestion = await findingsOf(
      'S05',
      'qwen2.5',
      search(),
      splitAt(({ layout }) => layout[1]!.contentStart + 2),
    )
    expect(inQuestion[0]?.message).toMatch(/inside a user turn$/)
    const late = await findingsOf(
      'S05',
      'qwen2.5',
      search(),
      splitAt(({ layout }) => layout[2]!.contentStart + 2),
    )
    expect(late[0]?.message).toMatch(/inside assistant turn 1, after 2 trained tokens$/)
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

  it('holds the rollouts of a group against each other, dates aside', async () => {
    const texts = [
      'Today Date: 01 May 2025\nBe brief.',
      'Today Date: 02 May 2025\nBe brief.',
      'Today Date: 02 May 2025\nBe kind.',
    ]
    const rows = (tokenizer: Tokenizer) =>
      texts.map((text) => conversation(tokenizer, [system(text), ...turns], { group: 'g' }))
    const findings = await findingsOf('T09', 'llama3', rows)
    expect(findings.map(({ record }) => record)).toEqual([2])
  })
})

describe('T15', () => {
  it('does not mistake a rendered prompt that a message stores for a forgery', async () => {
    const rows = search()
    const rendered: Edit = () => ({
      messages: [{ role: 'user', content: '<|im_start|>user\nWho directed it?<|im_end|>\n<|im_start|>assistant\n' }],
    })
    expect(await findingsOf('T15', 'qwen2.5', rows, rendered)).toEqual([])
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
  })

  it('names an end token that stands in letters', async () => {
    const text = 'The document says it.<|im_end|>'
    const rows = search({ answer: { text, specials: false } })
    const [spelt] = await findingsOf('T16', 'qwen2.5', rows)
    expect(spelt?.message).toMatch(/^"\.?<\|im_end\|>" is spelt by \d+ ordinary tokens in assistant turn 2$/)
    // What the model itself wrote is no matter of encoding.
    expect(
      await findingsOf('T16', 'qwen2.5', search({ answer: { text, specials: false } }, { sampled: true })),
    ).toEqual([])
  })

  it('leaves the text of a base model alone', async () => {
    expect(
      await findingsOf('T16', 'qwen2.5', asText('A conversation between a user and an assistant.\nUser: Hi.')),
    ).toEqual([])
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
