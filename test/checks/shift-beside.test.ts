import { describe, expect, it } from 'vitest'
import type { DumpView } from '../../shared/checks/check.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import {
  assistant,
  conversation,
  type TurnLayout,
  type TurnSpec,
  tool,
  trajectoryOf,
  user,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen3 = await testTokenizer('qwen3')
const THOUGHT = '<think>\nThe archive should have it, so I look there first.\n</think>\n\n'
const ANSWERS = ['It was directed by Ines Valdoro.', 'Nobody knows who directed it.', 'The film has no director.']

interface Row {
  readonly turns: 1 | 2
  /** Tokens by which its mask lies late. */
  readonly lag: number
  /** Tokens at the start of each turn with a logprob of 0.0, as have all that nobody sampled. */
  readonly certain?: number
  /** The mask as it would be in place. */
  readonly edit?: (mask: number[], layout: readonly TurnLayout[]) => void
  readonly thought?: string
  /** The stored mask is that of the response. */
  readonly ofResponse?: boolean
  readonly answer?: string
}

/** A row that ends with the end token of its last turn, in a format that writes 0.0 on what nobody sampled. */
function rowOf({ turns, lag, certain = 0, edit, thought = THOUGHT, ofResponse = false, answer }: Row, index: number) {
  const said = thought + (answer ?? ANSWERS[index % ANSWERS.length]!)
  const before: TurnSpec[] = [user(`Who directed film ${index}?`)]
  if (turns === 2) before.push(assistant(`${thought}I ask the archive.`), tool('It holds a film by Ines Valdoro.'))
  const row = conversation(qwen3, [...before, assistant(said, { separator: false })], {
    editMask: (mask, layout) => {
      edit?.(mask, layout)
      const was = [...mask]
      const first = ofResponse ? layout.find(({ role }) => role === 'assistant')!.contentStart : 0
      mask.forEach((_, i) => {
        mask[i] = i < first ? 0 : (was[i - lag] ?? 0)
      })
    },
  })
  const sampler = Float32Array.from(row.sampled, (flag, i) => (flag ? -0.4 - (i % 7) / 10 : 0))
  const written = row.layout.filter(({ role }) => role === 'assistant')
  for (const { contentStart } of written) sampler.fill(0, contentStart, contentStart + certain)
  const trajectory = trajectoryOf(row, { source: 0, record: index, part: 0 })
  const promptLength = ofResponse ? written[0]!.contentStart : null
  const length = sampler.length - (promptLength ?? 0)
  const arrays = [{ name: 'loss_mask', length, expected: length }]
  const logprobs = { ...trajectory.logprobs, sampler }
  return { ...trajectory, id: `row-${index}`, promptLength, arrays, logprobs } satisfies Trajectory
}

const rows = (...given: readonly (readonly [count: number, row: Row])[]) =>
  given.flatMap(([count, row]) => Array.from({ length: count }, () => row)).map(rowOf)

/** How many rollouts have each fault of the mask. */
function faults(trajectories: readonly Trajectory[]) {
  const { byCode } = auditTrajectories(trajectories, qwen3, { format: { unsampledLogprob: 0, maskAlignment: 'token' } })
  const affected = [...byCode].filter(([code, { tally }]) => code.startsWith('M') && tally.affected > 0)
  return Object.fromEntries(affected.map(([code, { tally }]) => [code, tally.affected]))
}

describe('a mask of one turn that lies late where its think tag has a logprob of 0.0', () => {
  it.each([1, 2])('is told by the other rollouts (%i tokens of 0.0)', (certain) => {
    const unclear: Row = { turns: 1, lag: 1, certain }
    expect(faults(rows([3, unclear]))).toEqual({})
    expect(faults(rows([3, unclear], [2, { turns: 2, lag: 1 }]))).toEqual({ M06: 5 })
    expect(faults(rows([3, unclear], [2, { turns: 1, lag: 1 }]))).toEqual({ M06: 5 })
  })

  it('is none where others lie in place, and where one alone lies late', () => {
    const unclear: Row = { turns: 1, lag: 1, certain: 1 }
    expect(faults(rows([3, unclear], [2, { turns: 2, lag: 0 }]))).toEqual({})
    expect(faults(rows([3, unclear], [1, { turns: 2, lag: 1 }]))).toEqual({ M06: 1 })
    expect(faults(rows([3, unclear], [2, { turns: 2, lag: 1 }], [1, { turns: 1, lag: 0 }]))).toEqual({ M06: 2 })
  })

  it('shows by itself behind a turn of which the newline is trained, and none where that turn ends in place', () => {
    expect(faults(rows([1, { turns: 2, lag: 1, certain: 1 }]))).toEqual({ M06: 1 })
    const bare = (mask: number[], layout: readonly TurnLayout[]) => {
      for (const { role, contentStart } of layout) if (role === 'assistant') mask[contentStart] = 0
    }
    expect(faults(rows([3, { turns: 2, lag: 0, certain: 1, edit: bare }]))).toEqual({})
  })
})

describe('a mask of one response that lies early', () => {
  const single: Row = { turns: 1, lag: -1, ofResponse: true }

  it('is that of the rows that show it, and no end that is masked by itself', () => {
    expect(faults(rows([3, single], [2, { ...single, turns: 2 }]))).toEqual({ M06: 5 })
  })

  it('is an end that is masked where no row shows more, or some show that they lie in place', () => {
    expect(faults(rows([3, single]))).toEqual({ M10: 3 })
    expect(faults(rows([3, single], [2, { ...single, turns: 2, lag: 0 }]))).toEqual({ M10: 3 })
  })
})

describe('a masked thought in a mask that lies late', () => {
  const edit = (mask: number[], layout: readonly TurnLayout[]) => {
    const { length } = qwen3.encode(THOUGHT, { specials: true })
    for (const { role, contentStart } of layout)
      if (role === 'assistant') mask.fill(0, contentStart, contentStart + length)
  }

  it('shows by itself where a rollout has several turns', () => {
    expect(faults(rows([1, { turns: 2, lag: 1, edit }]))).toEqual({ M06: 1, M16: 1 })
  })

  it('shows in rows of one turn where all are so, by exactly one token', () => {
    expect(faults(rows([12, { turns: 1, lag: 1, edit }]))).toEqual({ M06: 12, M16: 12 })
  })

  it('may be of resumed rollouts where they are few, or end elsewhere, or others lie in place', () => {
    expect(faults(rows([6, { turns: 1, lag: 1, edit }]))).toEqual({})
    const resumed = (index: number): Row => ({ turns: 1, lag: 1 + (index % 3), edit })
    expect(faults(Array.from({ length: 24 }, (_, index) => rowOf(resumed(index), index)))).toEqual({})
    expect(faults(rows([12, { turns: 1, lag: 1, edit }], [4, { turns: 1, lag: 0 }]))).toEqual({})
  })
})

it('tells a trained reply in a mask that lies late, and none where it is not trained', () => {
  const edit = (mask: number[], layout: readonly TurnLayout[]) => {
    for (const { role, contentStart, contentEnd } of layout) if (role === 'tool') mask.fill(1, contentStart, contentEnd)
  }
  expect(faults(rows([2, { turns: 2, lag: 1, edit }]))).toEqual({ M01: 2, M06: 2 })
  expect(faults(rows([2, { turns: 2, lag: 1 }]))).toEqual({ M06: 2 })
})

describe('turns that are left out of a mask that lies late', () => {
  const leftOut = (index: number) => (mask: number[], layout: readonly TurnLayout[]) => {
    const written = layout.filter(({ role }) => role === 'assistant')
    const { contentStart, end } = written.at(index)!
    mask.fill(0, contentStart, end)
  }
  const plain = { turns: 2, thought: '' } as const
  const lastAlone: Row = { ...plain, lag: 1, edit: leftOut(0) }

  it('are told beside it: the last alone is trained, by all rows together', () => {
    expect(faults(rows([12, lastAlone]))).toEqual({ M03: 12, M06: 12 })
  })

  it('are told beside it: the first alone is trained, which shows by itself', () => {
    expect(faults(rows([2, { ...lastAlone, edit: leftOut(1) }]))).toEqual({ M03: 2, M06: 2 })
  })

  it('alone are told where few rows begin late, or elsewhere, where none does, and where others lie in place', () => {
    expect(faults(rows([6, lastAlone]))).toEqual({ M03: 6 })
    const resumed = (index: number): Row => ({ ...lastAlone, lag: 1 + (index % 3) })
    expect(faults(Array.from({ length: 24 }, (_, index) => rowOf(resumed(index), index)))).toEqual({ M03: 24 })
    expect(faults(rows([12, { ...lastAlone, lag: 0 }]))).toEqual({ M03: 12 })
    expect(faults(rows([12, lastAlone], [4, { ...lastAlone, lag: 0 }]))).toEqual({ M03: 16 })
  })

  it('alone are told where what nothing calls sampled is left out', () => {
    expect(faults(rows([12, { ...lastAlone, certain: 1 }]))).toEqual({ M03: 12 })
  })

  it('alone are told where a turn begins with a tag of the template’s, and is trained with its newline', () => {
    const edit = (mask: number[], layout: readonly TurnLayout[]) => {
      const [first] = layout.filter(({ role }) => role === 'assistant')
      leftOut(1)(mask, layout)
      mask[first!.contentStart] = 0
      mask[first!.endToken + 1] = 1
    }
    expect(faults(rows([12, { turns: 2, lag: 0, certain: 1, edit }]))).toEqual({ M03: 12, M11: 12 })
  })
})

describe('a mask of thoughts that takes the line along, and the newline behind turns', () => {
  const edit = (mask: number[], layout: readonly TurnLayout[]) => {
    const { length } = qwen3.encode(THOUGHT, { specials: true })
    for (const { role, contentStart, endToken } of layout) {
      if (role !== 'assistant') continue
      mask.fill(0, contentStart, contentStart + length)
      if (endToken + 1 < mask.length) mask[endToken + 1] = 1
    }
  }
  /** Why a pass of M06 would prove nothing. */
  const unproved = (row: Row) => {
    const audit = auditTrajectories(rows([12, row]), qwen3, {
      format: { unsampledLogprob: 0, maskAlignment: 'token' },
    })
    const dump = { facts: audit.views.map(({ facts }) => facts) } as unknown as DumpView
    return checkByCode('M06')!.unproved!(audit.byCode.get('M06')!.tally, dump)
  }

  it('may as well lie late, and is not checkable then', () => {
    expect(faults(rows([12, { turns: 2, lag: 0, edit }]))).toEqual({ M11: 12, M16: 12 })
    expect(unproved({ turns: 2, lag: 0, edit })).toMatch(/^in 12 rollouts thoughts and the line behind each have no/)
  })

  it('lies in place where the newline behind turns is not trained, or thoughts are', () => {
    const bare = (mask: number[], layout: readonly TurnLayout[]) => {
      edit(mask, layout)
      for (const { role, endToken } of layout) if (role === 'assistant') mask.splice(endToken + 1, 1, 0)
    }
    expect(unproved({ turns: 2, lag: 0, edit: bare })).toBeNull()
    expect(unproved({ turns: 2, lag: 0 })).toBeNull()
  })
})
