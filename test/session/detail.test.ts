import { beforeAll, describe, expect, it } from 'vitest'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import { TokenState } from '../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../shared/session/protocol.ts'
import { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { assistant, conversation, tool, user } from '../helpers/conversation.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost } from './test-host.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

function tokensOf({ text, textOffsets }: TrajectoryDetail): string[] {
  return Array.from({ length: textOffsets.length - 1 }, (_, i) => text.slice(textOffsets[i], textOffsets[i + 1]))
}

function expectSound(detail: TrajectoryDetail): void {
  const length = detail.ids?.length ?? 0
  const { sampler, trainer, reference } = detail.logprobs
  const perToken = [detail.states, detail.flags, detail.weights, detail.expected, detail.provenance]
  const streams = [sampler, trainer, reference, detail.entropy, detail.kl, detail.advantages, detail.attentionMask]
  for (const array of [...perToken, ...streams, detail.positionIds, detail.segmentation?.parts]) {
    if (array) expect(array).toHaveLength(length)
  }
  expect(detail.textOffsets).toHaveLength(length + 1)
  expect(detail.textOffsets[0]).toBe(0)
  expect(detail.textOffsets[length]).toBe(detail.text.length)
  for (let i = 0; i < length; i++) {
    expect(detail.textOffsets[i + 1]).toBeGreaterThanOrEqual(detail.textOffsets[i] as number)
  }
  expect(tokensOf(detail).join('')).toBe(detail.text)
}

describe('the detail of a rollout', () => {
  it('is not made once nobody waits for it any more', async () => {
    const session = await audited(lines([cleanRollout(tokenizer, 1)]))
    await expect(session.detail(0, AbortSignal.abort(new Error('Stopped.')))).rejects.toThrow('Stopped.')
  })

  it('has one value for each token, and the text of all of them', async () => {
    const hostile = 'Grüße 👩🏽‍🚀 \u202Eabc\u0000 <script>alert(1)</script> 漢字 \uFFFD 🇩🇪'
    const rollout = conversation(tokenizer, [user(hostile), assistant(`You said: ${hostile}`)], {
      logprobs: 'both',
      attention: 'ones',
      padLeft: 3,
      padRight: 5,
      advantage: 0.25,
      more: { position_ids: [], entropy: [0.5] },
    })
    rollout.record.position_ids = rollout.record.input_ids.map((_, i) => i)
    const session = await audited(lines([rollout]))
    const detail = await session.detail(0)
    expectSound(detail)
    expect(Array.from(detail.ids as Int32Array)).toEqual(rollout.record.input_ids)
    expect(detail.text).toContain(hostile)
    expect(detail.facts).toEqual(session.facts.slice(0, 1).map(plainFacts)[0])
    expect(Array.from(detail.positionIds as Int32Array)).toEqual(rollout.record.position_ids)
    // Too short by far: what is not there is no number.
    expect(detail.entropy?.[0]).toBe(0.5)
    expect(detail.entropy?.[1]).toBeNaN()
    const trained = Array.from(detail.states, (state) => (state === TokenState.trained ? 1 : 0))
    expect(trained).toEqual(rollout.record.loss_mask)
    expect(Array.from(detail.states.slice(0, 3))).toEqual([2, 2, 2])
    expect(Array.from(detail.states.slice(-5))).toEqual([2, 2, 2, 2, 2])
    expect(detail.segmentation?.turns.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('shows ids that no vocabulary has, and ids without a tokenizer', async () => {
    const rollout = conversation(tokenizer, [user('Hello'), assistant('Hello.')])
    rollout.record.input_ids.push(987_654_321, -5)
    rollout.record.loss_mask?.push(0, 0)
    const known = await audited(lines([rollout]), { tokenizer: 'qwen2.5' })
    const detail = await known.detail(0)
    expectSound(detail)
    expect(tokensOf(detail).slice(-2)).toEqual(['⟨id 987654321?⟩', '⟨id -5?⟩'])
    expect(Array.from(detail.flags.slice(-2))).toEqual([16, 16])
    const unknown = await audited('{"input_ids": [7, 8, 9], "loss_mask": [0, 1, 1]}\n')
    expect(unknown.report().tokenizer.id).toBeNull()
    const bare = await unknown.detail(0)
    expectSound(bare)
    expect(bare.text).toBe('⟨7⟩⟨8⟩⟨9⟩')
    expect(bare).toMatchObject({ segmentation: null, expected: null, lost: [] })
    expect(Array.from(bare.states)).toEqual([0, 1, 1])
    expect(unknown.report().totals.by_part.other).toEqual({ total: 3, trained: 2 })
  })

  it('keeps an absent stream absent', async () => {
    const detail = await (await audited(lines([conversation(tokenizer, [user('Hi'), assistant('Yes.')])]))).detail(0)
    expect(detail).toMatchObject({
      weights: null,
      provenance: null,
      logprobs: { sampler: null, trainer: null, reference: null },
      entropy: null,
      kl: null,
      advantages: null,
      attentionMask: null,
      positionIds: null,
      messages: null,
      tools: null,
      documents: null,
      answer: null,
    })
  })

  it('of a target-aligned mask marks the tokens that are predicted', async () => {
    const rollout = conversation(tokenizer, [user('Hi'), assistant('Yes, hello to you.')])
    const token = [...(rollout.record.loss_mask as number[])]
    rollout.record.loss_mask = token.slice(1)
    const detail = await (await audited(lines([rollout, rollout]))).detail(0)
    expect(Array.from(detail.states)).toEqual(token)
  })

  it('shows what text was lost, and where', async () => {
    const whole = cleanRollout(tokenizer, 3)
    const session = await audited(lines([cutRollout(tokenizer, 3), whole]))
    const { lost, ids, text, facts } = await session.detail(0)
    expect(facts.lost).toBeGreaterThan(0)
    // Twelve tokens were cut: ten of the answer's text, its end token and the newline after it.
    expect(lost).toEqual([
      {
        at: ids?.length,
        tokens: facts.lost,
        text: expect.any(String),
        what: 'The messages go on, the sequence does not',
      },
    ])
    expect(lost[0]?.tokens).toBe(10)
    expect(`${text}${lost[0]?.text}<|im_end|>\n`).toBe((await session.detail(1)).text)
    expect((await session.detail(1)).lost).toEqual([])
    expect(session.report().totals.tokens.lost).toBe(10)
    const silent = await audited(lines([cutRollout(tokenizer, 3, { messages: false })]))
    expect((await silent.detail(0)).lost).toEqual([
      { at: ids?.length, tokens: null, text: null, what: 'The last turn is not closed' },
    ])
  })

  it('has its findings and those of its group', async () => {
    const rollouts = [0, 1, 2, 3].map((seed) =>
      rolloutWithTrainedReply(tokenizer, seed, { group: 'same', groupSize: 4, reward: 1 }),
    )
    const session = await audited(lines(rollouts), { maxFindings: 1 })
    const { findings } = await session.detail(2)
    expect(findings.map(({ code }) => code)).toEqual(['A01', 'M01'])
    expect(findings[0]).toMatchObject({ record: null, members: expect.any(Array) })
    expect(findings[1]).toMatchObject({ record: 2, trajectory: 'rollout-2' })
    expect(session.report().findings).toHaveLength(1)
  })

  it('shows the record as it is stored: numbers in rows, texts untouched, long ones cut', async () => {
    const note = 'a [\n 1,\n 2\n] and [ 1, 2 ] b'
    const rollout = conversation(tokenizer, [user('Hi'), assistant('Yes.')], { logprobs: 'sampler', more: { note } })
    rollout.record.advantages = rollout.record.input_ids.map((_, i) => (i === 0 ? 1e-7 : i === 1 ? -2.5e21 : 3))
    const { raw } = await (await audited(lines([rollout]))).detail(0)
    expect(JSON.parse(raw)).toEqual(rollout.record)
    expect(raw).toMatch(/"input_ids": \[\d+, \d+/)
    expect(raw).toContain('"advantages": [1e-7, -2.5e+21, 3, 3')
    expect(raw).toContain('"sampler": [null, null, null')
    const stored =
      '{"input_ids":[1, 2],"loss_mask":[0,1],"reward":1.0,"seed":12345678901234567890,"x":[{"a":[],"b":{},"b":-0}]}'
    expect((await (await audited(`${stored}\n`)).detail(0)).raw).toBe(
      [
        '{',
        ' "input_ids": [1, 2],',
        ' "loss_mask": [0, 1],',
        ' "reward": 1.0,',
        ' "seed": 12345678901234567890,',
        ' "x": [',
        '  {',
        '   "a": [],',
        '   "b": {},',
        '   "b": -0',
        '  }',
        ' ]',
        '}',
      ].join('\n'),
    )
    const nan = await audited('{"input_ids": [1, 2], "loss_mask": [0, 1], "reward": NaN}\n')
    expect((await nan.detail(0)).raw).toBe('{"input_ids": [1, 2], "loss_mask": [0, 1], "reward": NaN}')
    const long = await audited(`{"input_ids": [1, 2], "loss_mask": [0, 1], "note": "${'é'.repeat(900_000)}"}\n`)
    const shown = (await long.detail(0)).raw
    expect(shown.length).toBeLessThan(200_100)
    expect(shown).toMatch(/… 1800\d\d\d bytes in all$/)
  })

  it('is the same when it is asked for again, and from gzip', async () => {
    const text = lines([0, 1, 2, 3].map((seed) => cleanRollout(tokenizer, seed)))
    const session = await audited(text)
    const first = await session.detail(1)
    const other = await session.detail(3)
    expect(other).not.toEqual(first)
    first.states.fill(9)
    first.ids?.fill(0)
    first.textOffsets.fill(0)
    const again = await session.detail(1)
    expectSound(again)
    expect(again.text).toContain('river 1')
    expect(again.states).not.toContain(9)
    const zipped = await audited(gzipped(text))
    expect(await zipped.detail(1)).toEqual(again)
  })

  it('is refused for a rollout that is not there', async () => {
    const session = await audited(lines([cleanRollout(tokenizer, 1)]))
    await expect(session.detail(1)).rejects.toThrow('There is no rollout 1; 1 have been read.')
    await expect(session.detail(-1)).rejects.toThrow('There is no rollout -1')
    await expect(session.detail(0.5)).rejects.toThrow('There is no rollout 0.5')
  })
})

describe('a token', () => {
  it('is told with its id, its entry in the vocabulary and its bytes', async () => {
    const rollout = conversation(tokenizer, [user('Grüße'), assistant('Ja 👋')])
    rollout.record.input_ids.push(400_000)
    rollout.record.loss_mask?.push(0)
    const session = await audited(lines([rollout]), { tokenizer: 'qwen2.5' })
    const start = await session.token(0, 0)
    expect(start).toEqual({
      index: 0,
      id: 151644,
      raw: '<|im_start|>',
      bytes: new TextEncoder().encode('<|im_start|>'),
      whyStructure: 'the template writes the header of a turn',
      whyProvenance: null,
    })
    const bytes: number[] = []
    for (let i = 0; i < rollout.record.input_ids.length - 1; i++) bytes.push(...(await session.token(0, i)).bytes)
    expect(new TextDecoder().decode(Uint8Array.from(bytes))).toContain('<|im_start|>assistant\nJa 👋<|im_end|>')
    const last = rollout.record.input_ids.length - 1
    expect(await session.token(0, last)).toMatchObject({
      index: last,
      id: 400_000,
      raw: null,
      bytes: new Uint8Array(0),
    })
    for (const token of [last + 1, -1, 0.5, Number.NaN]) {
      await expect(session.token(0, token)).rejects.toThrow(`has no token ${token}.`)
    }
  })

  it('has no entry without a tokenizer', async () => {
    const session = await audited('{"input_ids": [7, 8, 9], "loss_mask": [0, 1, 1]}\n')
    expect(await session.token(0, 1)).toEqual({
      index: 1,
      id: 8,
      raw: null,
      bytes: new Uint8Array(0),
      whyStructure: null,
      whyProvenance: null,
    })
  })
})

describe('a file that changed while it was open', () => {
  function changing(before: string, after: string): { source: ByteSource; change(): void } {
    let current = memorySource(before, 64, 'run.jsonl')
    return {
      source: {
        name: 'run.jsonl',
        size: before.length,
        slice: (start, end) => current.slice(start, end),
        stream: (start) => current.stream(start),
      },
      change() {
        current = memorySource(after, 64, 'run.jsonl')
      },
    }
  }

  it('is told as that, for what changed and for nothing else', async () => {
    const [first, second] = [cleanRollout(tokenizer, 1), cleanRollout(tokenizer, 2)].map((each) => lines([each]))
    const { source, change } = changing(`${first}${second}`, `${first}${second?.replace('rollout-2', 'rollout-9')}`)
    const session = await Session.open([source], {}, testHost())
    await session.done
    expect((await session.detail(1)).facts.id).toBe('rollout-2')
    expect((await session.detail(0)).facts.id).toBe('rollout-1')
    change()
    await expect(session.detail(1)).rejects.toThrow(
      'run.jsonl changed while it was open: record 1 is no longer what was read. Open it again.',
    )
    expect((await session.detail(0)).facts.id).toBe('rollout-1')
  })

  it('says what is wrong with what stands there now', async () => {
    const text = lines([cleanRollout(tokenizer, 1)])
    const { source, change } = changing(text, text.slice(0, 40))
    const session = await Session.open([source], {}, testHost())
    await session.done
    change()
    await expect(session.detail(0)).rejects.toThrow(/^run\.jsonl changed while it was open: record 0 .*\(.+\)\. Open/)
  })
})

describe('why the oracles say what they say', () => {
  it('is told of every token of a rollout, part by part', async () => {
    const rollout = conversation(tokenizer, [user('Hi'), assistant('Hello.')], { sampled: true })
    const session = await audited(lines([rollout]))
    const { layout } = rollout
    const [asked, answered] = layout as [(typeof layout)[number], (typeof layout)[number]]
    const why = async (token: number) => {
      const { whyStructure, whyProvenance } = await session.token(0, token)
      return [whyStructure, whyProvenance]
    }
    expect(await why(asked.contentStart)).toEqual(['a user turn is not the model’s', 'its sampled flag is 0'])
    expect(await why(answered.start)).toEqual(['the template writes the header of a turn', 'its sampled flag is 0'])
    expect(await why(answered.contentStart)).toEqual([
      'it stands between the header and the end of assistant turn 1, where only the model writes',
      'its sampled flag is 1',
    ])
    expect(await why(answered.endToken)).toEqual([
      'the model samples the end of assistant turn 1 itself',
      'its sampled flag is 1',
    ])
    expect((await why(answered.end - 1))[0]).toBe('the template writes this after the end of a turn')
  })

  it.each([
    [{}, 'between the header and the end of assistant turn 2'],
    [{ header: false }, 'before the end of assistant turn 2, which has no header'],
    [{ end: false }, 'behind the header of assistant turn 2, which has no end token'],
    [{ header: false, end: false }, 'in assistant turn 2, which has no header and has no end token'],
  ])('names no header and no end that the turn lacks: %o', async (lacks, where) => {
    const turns = [user('Who?'), assistant('I will look.'), user('Well?'), assistant('It was Ines.', lacks)]
    const rollout = conversation(tokenizer, turns, {})
    const session = await audited(lines([rollout]))
    const { whyStructure } = await session.token(0, rollout.layout[3]!.contentStart + 1)
    expect(whyStructure).toBe(`it stands ${where}, where only the model writes`)
  })

  it('rests on the sampler logprobs where there are no flags', async () => {
    const rollout = conversation(tokenizer, [user('Hi'), assistant('Hello.')], { logprobs: 'sampler' })
    const session = await audited(lines([rollout]))
    const answered = rollout.layout[1] as (typeof rollout.layout)[number]
    expect((await session.token(0, answered.contentStart)).whyProvenance).toBe('it has a sampler logprob')
    expect((await session.token(0, 1)).whyProvenance).toBe('it has no sampler logprob where others have one')
  })
})

describe('a tool reply that was cut while the rollout went on', () => {
  it('shows its gap where the text breaks off', async () => {
    const whole = 'The Arn rises in the hills of Teal and runs to the sea by way of three lakes and one town.'
    const cut = whole.slice(0, 40)
    const rollout = conversation(
      tokenizer,
      [user('Where?'), assistant('Let me look.'), tool(cut), assistant('Teal.')],
      {
        messages: true,
      },
    )
    const messages = rollout.record.messages?.map((message) =>
      message.content === cut ? { ...message, content: whole } : message,
    )
    const session = await audited(lines([{ ...rollout, record: { ...rollout.record, messages: messages ?? [] } }]))
    const { lost, text, textOffsets } = await session.detail(0)
    expect(lost).toHaveLength(1)
    expect(lost[0]).toMatchObject({ tokens: null, text: expect.stringContaining('three lakes') })
    expect(lost[0]?.what).toContain('The end of the tool reply in turn 2 was cut')
    expect(text.slice(0, textOffsets[lost[0]?.at ?? 0])).toMatch(/Teal an$|hills of/)
  })
})
