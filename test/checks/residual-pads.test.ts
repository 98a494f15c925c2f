import { describe, expect, it } from 'vitest'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const PAD = 151643
const IM_START = 151644
const IM_END = 151645

interface Given {
  /** Pads behind the end of the first answer, and behind the newline after it. */
  readonly behindEnd?: number
  readonly behindNewline?: number
  /** Pads behind the reply, behind the header of the second answer, and behind the first words of it. */
  readonly beforeTurn?: number
  readonly behindHeader?: number
  readonly insideWords?: number
  /** The pads carry loss. */
  readonly train?: 0 | 1
  readonly wrote?: 0 | 1 | null
  /** Both engines have logprobs of every token; the sampler's of a pad is 0.0, which the trainer denies. */
  readonly scored?: true
  /** Whether the forward pass sees the pads. */
  readonly attended?: 0 | 1
}

const SPOKEN_OF = ['M09', 'M12', 'M15', 'L05']

/** Codes of those and the number of tokens that they name in a rollout of two answers with pads inside. */
async function judge(given: Given) {
  const {
    behindEnd = 0,
    behindNewline = 0,
    beforeTurn = 0,
    behindHeader = 0,
    insideWords = 0,
    train = 1,
    wrote = null,
    attended = 1,
  } = given
  const qwen = await testTokenizer('qwen2.5')
  const ids: number[] = []
  const mask: number[] = []
  const sampled: number[] = []
  const attention: number[] = []
  const add = (tokens: readonly number[], trained: number, isSampled = trained, seen = 1) => {
    for (const id of tokens) {
      ids.push(id)
      mask.push(trained)
      sampled.push(isSampled)
      attention.push(seen)
    }
  }
  const pads = (count: number) =>
    add(
      Array.from({ length: count }, () => PAD),
      train,
      wrote ?? 0,
      attended,
    )
  const text = (words: string, trained = 0) => add(qwen.encode(words), trained)
  const header = (role: string) => add([IM_START, ...qwen.encode(`${role}\n`)], 0)
  const turn = (role: string, words: string) => {
    header(role)
    add([...qwen.encode(words), IM_END, ...qwen.encode('\n')], 0)
  }
  turn('user', 'Who founded the yard?')
  header('assistant')
  text('<tool_call>\n{"name": "search", "arguments": {"query": "yard"}}\n</tool_call>', 1)
  add([IM_END], 1)
  pads(behindEnd)
  text('\n')
  pads(behindNewline)
  turn('user', '<tool_response>\nInes Valdoro founded it.\n</tool_response>')
  pads(beforeTurn)
  header('assistant')
  pads(behindHeader)
  text('It was founded', 1)
  pads(insideWords)
  text(' by Ines Valdoro.', 1)
  add([IM_END], 1)
  const trajectory = {
    ...emptyTrajectory({ source: 0, record: 0, part: 0 }, '0'),
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(mask),
    sampled: wrote === null ? null : Uint8Array.from(sampled),
    attentionMask: Int32Array.from(attention),
    ...(given.scored ? { logprobs: scoresOf(ids) } : {}),
  }
  const { byCode } = auditTrajectories([trajectory], qwen)
  const named = SPOKEN_OF.flatMap((code) =>
    byCode.get(code)!.findings.map(({ tokens }) => [code, (tokens?.[1] ?? 0) - (tokens?.[0] ?? 0)]),
  )
  return named
}

function scoresOf(ids: readonly number[]) {
  const sampler = Float32Array.from(ids, (id, at) => (id === PAD ? 0 : -0.5 - (at % 3) / 8))
  return { sampler, trainer: Float32Array.from(ids, (id, at) => (id === PAD ? -9 : sampler[at]!)), reference: null }
}

describe('pads that are left inside a row', () => {
  it('are M12 before the first word of an answer, and behind a turn of another', async () => {
    expect(await judge({ behindHeader: 5 })).toEqual([['M12', 5]])
    expect(await judge({ beforeTurn: 3 })).toEqual([['M12', 3]])
    expect(await judge({ behindHeader: 5, wrote: 0 })).toEqual([['M12', 5]])
  })

  it('are M12 behind the end of an answer, whether the newline stands before them or behind', async () => {
    expect(await judge({ behindEnd: 3 })).toEqual([['M12', 3]])
    expect(await judge({ behindNewline: 2, wrote: 0 })).toEqual([['M12', 2]])
  })

  it('are no prefill of the template, and need no logprob', async () => {
    expect(await judge({ behindHeader: 3, wrote: 0, scored: true })).toEqual([['M12', 3]])
    expect(await judge({ behindHeader: 3, scored: true })).toEqual([['M12', 3]])
  })

  it('may be what a base model ends its text with behind the end of its turn', async () => {
    expect(await judge({ behindEnd: 1 })).toEqual([])
    expect(await judge({ behindNewline: 1 })).toEqual([])
    expect(await judge({ behindEnd: 3, wrote: 1 })).toEqual([])
  })

  it('are right where they carry no loss', async () => {
    expect(await judge({ beforeTurn: 3, train: 0 })).toEqual([])
    expect(await judge({ behindEnd: 3, train: 0 })).toEqual([])
  })

  it('may be hidden from the forward pass, as padding is', async () => {
    expect(await judge({ behindHeader: 5, attended: 0 })).toEqual([['M12', 5]])
    expect(await judge({ beforeTurn: 3, train: 0, attended: 0 })).toEqual([])
  })

  it('are the model’s where it was sampled on, where it may have gone on, and where one alone begins an answer', async () => {
    expect(await judge({ behindHeader: 5, wrote: 1 })).toEqual([])
    expect(await judge({ insideWords: 4 })).toEqual([])
    expect(await judge({ behindHeader: 1 })).toEqual([])
  })
})
