import { describe, expect, it } from 'vitest'
import { toldOfNulls, untoldByNulls } from '../../shared/checks/mask/nulls-as-mask.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

interface Row {
  /** Masked: the first turn, all ends, the first token of each turn. */
  readonly masks?: 'turn' | 'ends' | 'heads'
  /** Nulls of the engine stand where nobody sampled, whatever is masked. */
  readonly ofEngine?: true
  /** What the answer begins with. */
  readonly text?: string
}

/** Logprobs are null where the mask is 0. */
function rowOf({ masks, ofEngine, text }: Row, index: number): Trajectory {
  const end = { end: masks !== 'ends' }
  const train = { ...end, ...(masks === 'turn' ? { content: false, end: false } : {}) }
  const row = searchRow(qwen2, index, {
    call: { train },
    answer: { train: end, ...(text === undefined ? {} : { text }) },
  })
  const trajectory = trajectoryOf(row, { source: 0, record: index, part: 0 })
  const sound = trajectoryOf(searchRow(qwen2, index), { source: 0, record: index, part: 0 }).mask!
  const mask = Uint8Array.from(trajectory.mask!)
  if (masks === 'heads') for (let i = mask.length - 1; i > 0; i--) if (mask[i - 1] === 0) mask[i] = 0
  const sampler = Float32Array.from(ofEngine ? sound : mask, (flag) => (flag === 1 ? -0.2 : Number.NaN))
  return { ...trajectory, mask, logprobs: { ...trajectory.logprobs, sampler } }
}

const factsOf = (rows: readonly Row[], unsampledLogprob: 'nan' | null = null) =>
  auditTrajectories(
    rows.map(rowOf),
    qwen2,
    unsampledLogprob === null ? {} : { format: { unsampledLogprob } },
  ).views.map(({ facts }) => facts)

const others: readonly Row[] = [{}, {}, {}]

describe('logprobs that are null exactly where the mask is 0', () => {
  it('do not say who wrote a turn, or an end, that is masked', () => {
    expect(untoldByNulls(factsOf([{ masks: 'turn' }, ...others]))).toEqual({
      of: 4,
      turns: 1,
      ends: 0,
      heads: 0,
      rollouts: 1,
    })
    expect(toldOfNulls(factsOf([{ masks: 'ends' }, ...others]), 'ends')).toContain(
      '1 of 4 rollouts mask the end tokens',
    )
  })

  it('tell where one of them lies otherwise', () => {
    expect(untoldByNulls(factsOf([{ masks: 'ends' }, { masks: 'turn', ofEngine: true }, ...others]))).toBeNull()
  })

  it('tell where the format says what a null is', () => {
    expect(untoldByNulls(factsOf([{ masks: 'turn' }, ...others], 'nan'))).toBeNull()
  })

  it('say nothing where nothing is left out', () => {
    expect(untoldByNulls(factsOf(others))).toBeNull()
  })

  it('do not say who wrote first tokens that differ, and of a text that all answers begin with nobody asks', () => {
    const differing = ['One', 'The', 'It'].map((text) => ({ masks: 'heads' as const, text: `${text} is 1961.` }))
    expect(untoldByNulls(factsOf(differing))).toMatchObject({ heads: 3 })
    expect(untoldByNulls(factsOf([{ masks: 'heads' }, { masks: 'heads' }]))).toBeNull()
  })
})
