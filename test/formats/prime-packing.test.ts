import { encode } from '@msgpack/msgpack'
import { describe, expect, it } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

interface Packing {
  /** The positions of the second sequence go on where those of the first end. */
  readonly runOn?: true
  /** Lengths that the forward pass gets as `seq_lens`, where the row has any. */
  readonly lengths?: (sequences: readonly number[]) => readonly number[]
}

/** What S01 says of three micro batches of two sequences each, and the lengths of these. */
async function packing({ runOn, lengths }: Packing) {
  const tokenizer = await testTokenizer('qwen2.5')
  const batches = [0, 1, 2].map((at) => {
    const packed = ['Is it red?', 'Is it round?'].map((question, second) => {
      const turns = [system('Be brief.'), user(`${at} ${question}`), assistant(second ? 'No.' : 'Yes.')]
      return conversation(tokenizer, turns).record
    })
    const ids = packed.flatMap(({ input_ids }) => input_ids)
    const mask = packed.flatMap(({ loss_mask }) => loss_mask!)
    const sequences = packed.map(({ input_ids }) => input_ids.length)
    return [
      ids,
      mask.map((trained) => trained === 1),
      ids.map(() => 0.5),
      mask.map((trained, i) => (trained ? -0.5 - (i % 5) / 10 : 0)),
      packed.flatMap(({ input_ids }, second) => input_ids.map((_, i) => (runOn && second ? i + sequences[0]! : i))),
      sequences,
      ids.map(() => 1),
      ids.map(() => 'x'),
      ...(lengths === undefined ? [] : [lengths(sequences)]),
    ]
  })
  const session = await audited([memorySource(encode(batches))], { tokenizer: 'qwen2.5' })
  const report = session.report()
  const { status, checked, affected, reason } = report.checks.find(({ code }) => code === 'S01')!
  expect(report.sources[0]?.format?.id).toBe('prime-rl-batch')
  return { status, checked, affected, reason, findings: report.findings.filter(({ code }) => code === 'S01') }
}

const SAME = (sequences: readonly number[]) => sequences

describe('the sequences of a micro batch', () => {
  it('see each other where the positions run on and nothing else tells the forward pass where one begins', async () => {
    const { status, checked, affected, findings } = await packing({ runOn: true })
    expect({ status, checked, affected }).toEqual({ status: 'fail', checked: 3, affected: 3 })
    expect(findings[0]).toMatchObject({ trajectory: '0.1', severity: 'error' })
    expect(findings[0]?.message).toMatch(/^A further sequence of a packed row begins here at position \d+,/)
    // Neither of the two parts them.
    expect(await packing({ runOn: true, lengths: (all) => [all[0]! + all[1]!] })).toMatchObject({ affected: 3 })
  })

  it.each([
    ['the positions run on over lengths', { runOn: true, lengths: SAME } as const],
    ['lengths leave out where positions begin anew', { lengths: (all: readonly number[]) => [all[0]! + all[1]!] }],
  ])('may do so where %s: models go by either', async (_, given) => {
    expect(await packing(given)).toMatchObject({
      status: 'not-checkable',
      reason: expect.stringMatching(/^position ids and lengths of sequences do not agree on where 3 further sequences/),
    })
  })

  it('do not where the positions begin anew', async () => {
    expect(await packing({})).toMatchObject({ status: 'pass', checked: 3 })
    expect(await packing({ lengths: SAME })).toMatchObject({ status: 'pass', checked: 3 })
  })
})
