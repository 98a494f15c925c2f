import { describe, expect, it } from 'vitest'
import { type AuditedDump, audit, faultsOf, verdictOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'
import { nemoRl } from '../planted/writers/nemo-rl.ts'
import { primeRlExport } from '../planted/writers/prime-rl-export.ts'
import { slimeRollout } from '../planted/writers/slime.ts'
import type { Writer } from '../planted/writers/writer.ts'
import { type Edit, findingsOf, search } from './findings-of.ts'

const codes = (audited: AuditedDump) => [
  ...new Set(faultsOf(audited).flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]))),
]

/** Tokens of Qwen3's empty thought. */
const BLOCK = 4
/** `</think>` and two newlines. */
const END_OF_BLOCK = [151668, 271]

/** Every turn opens with an empty thought that the model wrote; the logprobs of its tokens are those of `scoresOf`. */
let rollouts = 0
const emptyThoughts = (scoresOf: (turn: number, rollout: number) => readonly number[], trainer = 0) =>
  cleanDump('empty thoughts of its own', 'qwen3', {
    groups: 2,
    change: (conversation) => ({
      ...conversation,
      turns: conversation.turns.map((turn) => ({ ...turn, thought: '' })),
    }),
    finish: (rollout) => {
      const own = rollouts++
      for (const [index, { headerEnd }] of turnsBy(rollout, 'assistant').entries()) {
        const scores = scoresOf(index, own)
        for (const [at, token] of rollout.tokens.slice(headerEnd, headerEnd + BLOCK).entries()) {
          token.sampler = scores[at] as number
          token.trainer = at === 1 ? token.sampler + trainer : token.sampler
        }
      }
    },
  })

describe.each([
  ['slime', slimeRollout],
  ['nemo-rl', nemoRl],
  ['prime-rl-export', primeRlExport],
] as const)('an empty thought that the model wrote, in %s', (_, writer) => {
  it.each([
    ['of its first token alone', () => [0, -0.02, -0.3, -0.001]],
    ['of all but its last token', () => [0, 0, 0, -0.02]],
    [
      'of all turns of some rollouts',
      (_: number, rollout: number) => (rollout % 8 === 3 ? [0, 0, 0, 0] : [0, -0.01, 0, 0]),
    ],
    ['of one whole turn', (turn: number) => (turn === 0 ? [0, -0.01, 0, 0] : [0, 0, 0, 0])],
  ])('is no prefill for a logprob of 0.0 %s', async (_, scoresOf) => {
    const audited = await audit(await emptyThoughts(scoresOf), writer)
    expect(codes(audited)).toEqual([])
    expect(verdictOf(audited, 'H02')).toBe('contradicted')
  })

  it('may be a prefill where nothing says that any of them was sampled', async () => {
    expect(codes(await audit(await emptyThoughts(() => [0, 0, 0, 0], -0.3), writer))).toEqual(['M09'])
  })

  it('is the model’s as likely as not where the trainer was as certain of it', async () => {
    const scored = writer !== slimeRollout
    expect(codes(await audit(await emptyThoughts(() => [0, 0, 0, 0]), writer))).toEqual(scored ? [] : ['M09'])
  })
})

/** The native format with 0.0 where the sampler has no number, as a tensor is filled: of no token it is told who wrote it. */
const zeroFilled: Writer = {
  ...native,
  write: (dump) => {
    const written = native.write(dump)
    const filled = written.text
      .trim()
      .split('\n')
      .map((line) => {
        const record = JSON.parse(line)
        record.logprobs.sampler = record.logprobs.sampler.map((value: number | null) => value ?? 0)
        return JSON.stringify(record)
      })
    return { ...written, text: `${filled.join('\n')}\n` }
  },
}

describe('an empty thought in a row of which no token is told who wrote it', () => {
  it('is the model’s where the sampler has numbers for it and none before it, also in rollouts where all of them are 0.0', async () => {
    const scores = (_: number, rollout: number) => (rollout % 8 === 3 ? [0, 0, 0, 0] : [-0.02, -0.3, 0, -0.001])
    const audited = await audit(await emptyThoughts(scores), zeroFilled)
    expect(codes(audited)).toEqual([])
    expect(verdictOf(audited, 'H02')).toBe('contradicted')
  })

  it('may be a prefill where the sampler has none in any rollout', async () => {
    expect(codes(await audit(await emptyThoughts(() => [0, 0, 0, 0], -0.3), zeroFilled))).toEqual(['M09'])
  })

  const block = { prefill: '<think>\n\n</think>\n\n', train: { prefill: true } }
  const asking = (text: string) => search({ user: { text }, call: block })
  const scored =
    (scoreOf: (at: number, block: number) => number): Edit =>
    (trajectory, { layout }) => {
      const sampler = Float32Array.from(trajectory.ids ?? [], (_, at) => scoreOf(at, layout[2]!.headerEnd))
      return { logprobs: { ...trajectory.logprobs, sampler } }
    }
  const promptEnds =
    (at: 'headerEnd' | 'contentStart'): Edit =>
    (_, { layout }) => ({ promptLength: layout[2]![at] })
  const named = async (text: string, edit: Edit) => (await findingsOf('M09', 'qwen3', asking(text), edit)).length

  it.each([
    ['the numbers begin with the block', (at: number, block: number) => (at < block ? 0 : -0.1), 0],
    [
      'one number alone lies in it, as where the array lies one token early',
      (at: number, block: number) => (at < block + 3 ? 0 : -0.1),
      1,
    ],
    ['what stands before it is scored as well', () => -0.1, 1],
  ] as const)('by its numbers: %s', async (_, scoreOf, count) => {
    expect(await named('Who founded Quillfort?', scored(scoreOf))).toBe(count)
  })

  it('is the model’s where the prompt asks for it by /no_think and ends with the header', async () => {
    expect(await named('Who founded Quillfort? /no_think', promptEnds('headerEnd'))).toBe(0)
    expect(await named('/think /no_think Who founded Quillfort?', promptEnds('headerEnd'))).toBe(0)
  })

  it.each([
    ['the prompt ends with the block', 'Who founded Quillfort? /no_think', promptEnds('contentStart')],
    ['no prompt is stored', 'Who founded Quillfort? /no_think', () => ({})],
    ['nobody asks for it', 'Who founded Quillfort?', promptEnds('headerEnd')],
    ['the last word is /think', '/no_think Who founded Quillfort? /think', promptEnds('headerEnd')],
    ['the word is a part of a path', 'What is in src/no_think and ./no_think?', promptEnds('headerEnd')],
  ] as const)('is named as before where %s', async (_, text, edit) => {
    expect(await named(text, edit)).toBe(1)
  })
})

describe('an empty thought in a dump without logprobs', () => {
  /** The native format with nothing but ids, mask and the length of the prompt, which ends with the header or with the block. */
  const bare = (ends: 'header' | 'block'): Writer => ({
    ...native,
    write: (dump) => {
      const written = native.write(dump)
      const lines = written.text.trim().split('\n')
      const left = lines.map((line, i) => {
        const { logprobs, sampled, messages, ...record } = JSON.parse(line)
        const { headerEnd } = turnsBy(dump.rollouts[i]!, 'assistant')[0]!
        const isBlock = END_OF_BLOCK.every((id, at) => record.input_ids[headerEnd + BLOCK - 2 + at] === id)
        return JSON.stringify({ ...record, prompt_length: headerEnd + (ends === 'block' && isBlock ? BLOCK : 0) })
      })
      return { ...written, text: `${left.join('\n')}\n` }
    },
  })
  const thoughts = (thoughtOf: (rollout: number) => string) => {
    let made = 0
    return cleanDump('thoughts at will', 'qwen3', {
      groups: 2,
      change: (conversation) => {
        const thought = thoughtOf(made++)
        return { ...conversation, turns: conversation.turns.map((turn) => ({ ...turn, thought })) }
      },
    })
  }
  const atWill = (rollout: number) => (rollout % 3 === 0 ? '' : 'I look it up first.')

  it('is the model’s where other rollouts open a thought behind their headers', async () => {
    expect(codes(await audit(await thoughts(atWill), bare('header')))).toEqual([])
  })

  it.each([
    ['no rollout thinks', () => '', 'header'],
    ['the prompt ends with the block', atWill, 'block'],
  ] as const)('may be a prefill where %s', async (_, thoughtOf, ends) => {
    expect(codes(await audit(await thoughts(thoughtOf), bare(ends)))).toContain('M09')
  })
})
