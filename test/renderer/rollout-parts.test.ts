import { describe, expect, it } from 'vitest'
import { firstToken, nextEdge, turnEdges, turnOf } from '../../renderer/views/rollout/edges.ts'
import { faultMap } from '../../renderer/views/rollout/faults.ts'
import { disagrees } from '../../renderer/views/rollout/oracles.ts'
import { columnFaults, columnStates, runsOf } from '../../renderer/views/rollout/strip-drawing.ts'
import { trainedShare, turnCoverage } from '../../renderer/views/rollout/turn-coverage.ts'
import type { Finding, Scope, Severity } from '../../shared/model/report.ts'
import { Expected, type Segmentation, TokenState } from '../../shared/model/tokens.ts'

const { masked, trained, padding, unknown } = TokenState

function finding(
  code: string,
  tokens: [number, number] | null,
  severity: Severity = 'error',
  scope: Scope = 'tokens',
): Finding {
  return {
    code,
    severity,
    scope,
    source: 0,
    record: 0,
    part: 0,
    trajectory: '0',
    group: null,
    members: null,
    turn: null,
    tokens,
    fingerprint: code,
    message: code,
    evidence: {},
  }
}

function turns(...starts: [kind: string, start: number, end: number][]) {
  const found = starts.map(([kind, start, end], index) => ({ index, kind, start, end }))
  return { segmentation: { turns: found } as unknown as Segmentation }
}

describe('edges', () => {
  const states = Uint8Array.from([padding, padding, masked, trained, trained, masked])

  it('steps from one change of state to the next, both ways, and stops at the ends', () => {
    expect([nextEdge(states, 0, 1), nextEdge(states, 2, 1), nextEdge(states, 3, 1), nextEdge(states, 5, 1)]).toEqual([
      2,
      3,
      5,
      null,
    ])
    expect([nextEdge(states, 5, -1), nextEdge(states, 3, -1), nextEdge(states, 2, -1)]).toEqual([3, 2, null])
  })

  it('finds turns by token, and none between or after them', () => {
    const detail = turns(['system', 2, 5], ['user', 5, 9], ['assistant', 10, 12])
    expect([1, 2, 4, 5, 9, 11, 12].map((token) => turnOf(detail, token))).toEqual([-1, 0, 0, 1, -1, 2, -1])
    expect(turnEdges(detail).map((edge) => [edge.boundary, edge.at])).toEqual([
      ['system>user', 5],
      ['user>assistant', 10],
      ['assistant>end', 12],
    ])
    const { segmentation } = detail
    const prompt = { segmentation: segmentation && { ...segmentation, endsWithGenerationPrompt: true } }
    expect(turnEdges(prompt)).toHaveLength(2)
  })

  it('opens at the worst fault that points at tokens, else at the first token that is no padding', () => {
    const whole = finding('M15', [0, 6], 'error', 'trajectory')
    expect(firstToken({ states, findings: [whole, finding('T04', [5, 6], 'warning'), finding('M01', [3, 4])] })).toBe(3)
    expect(firstToken({ states, findings: [{ ...finding('M01', [3, 4]), intended: true }] })).toBe(2)
    expect(firstToken({ states: new Uint8Array(0), findings: [] })).toBe(0)
  })
})

describe('faults at tokens', () => {
  it('marks the worst of several, pins every code, and leaves what the policy intends unmarked', () => {
    const { worst, pins } = faultMap({
      states: new Uint8Array(6),
      expected: null,
      findings: [
        finding('T04', [1, 3], 'warning'),
        finding('M01', [1, 2]),
        finding('M15', [0, 6], 'error', 'trajectory'),
        { ...finding('M03', [5, 6]), intended: true },
        finding('C04', null),
      ],
    })
    expect([...worst]).toEqual([3, 3, 2, 0, 0, 0])
    expect([...pins]).toEqual([
      [1, 'T04 M01'],
      [0, 'M15'],
    ])
  })

  it('marks tokens of the wrong state, but none that the policy intends and none of a row that trains nothing', () => {
    const expected = new Uint8Array(4).fill(Expected.trained)
    const intended = { ...finding('M03', [2, 3]), intended: true as const }
    const wrongOf = (...states: number[]) => {
      const { isWrong } = faultMap({ states: Uint8Array.from(states), expected, findings: [intended] })
      return [...states.keys()].filter(isWrong)
    }
    expect(wrongOf(trained, masked, masked, unknown)).toEqual([1])
    expect(wrongOf(masked, masked, masked, masked)).toEqual([])
    expect(faultMap({ states: Uint8Array.of(masked, trained), expected: null, findings: [] }).isWrong(0)).toBe(false)
  })

  it('asks what a token should be only of those that are drawn', () => {
    const asked: string[] = []
    const expected = new Proxy(new Uint8Array(4).fill(Expected.trained), {
      get(all, name) {
        asked.push(String(name))
        return Reflect.get(all, name)
      },
    })
    const { isWrong } = faultMap({ states: Uint8Array.of(trained, masked, trained, masked), expected, findings: [] })
    expect(asked).toEqual([])
    expect([isWrong(1), asked]).toEqual([true, ['1']])
  })

  it('sees a disagreement only where both the mask and the structure say something', () => {
    const expected = Uint8Array.from([Expected.trained, Expected.masked, Expected.undecided, Expected.trained])
    const states = Uint8Array.from([masked, trained, trained, unknown])
    expect([0, 1, 2, 3].map((token) => disagrees({ states, expected }, token))).toEqual([true, true, false, false])
    expect(disagrees({ states, expected: null }, 0)).toBe(false)
  })
})

describe('the strip', () => {
  it('shows the state of most tokens of a column, and a short trained turn all the same', () => {
    const states = new Uint8Array(400).fill(masked)
    states.fill(trained, 0, 30)
    states.fill(padding, 300)
    expect([...columnStates(states, 4)]).toEqual([trained, masked, masked, padding])
  })

  it('shows the worst fault of each column that a finding touches', () => {
    const findings = [finding('M01', [2, 5]), finding('T04', [0, 12], 'warning'), finding('M01', [19, 40])]
    const map = faultMap({ states: new Uint8Array(20), expected: null, findings })
    expect([...columnFaults(map, 20, 10)]).toEqual([2, 3, 3, 2, 2, 2, 0, 0, 0, 3])
    expect([...columnFaults(map, 20, 0)]).toEqual([])
    expect(runsOf(columnFaults(map, 20, 10))).toEqual([
      [0, 1],
      [1, 3],
      [3, 6],
      [6, 9],
      [9, 10],
    ])
    expect(runsOf(new Uint8Array(0))).toEqual([])
  })

  it('repeats tokens when there are fewer than columns', () => {
    expect([...columnStates(Uint8Array.from([trained, masked]), 4)]).toEqual([trained, trained, masked, masked])
  })
})

describe('what is known of each turn', () => {
  const { segmentation } = turns(['user', 0, 4], ['assistant', 4, 8], ['user', 8, 10], ['assistant', 10, 14])
  const states = Uint8Array.from(
    [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 0, 0, 0, 0].map((k) => [masked, trained, unknown][k] as number),
  )
  const worstOf = (...findings: Finding[]) => turnCoverage({ segmentation, findings }).map(({ worst }) => worst)

  it('is how much of it is trained, and nothing where no mask is known', () => {
    expect(segmentation?.turns.map((turn) => trainedShare({ states }, turn))).toEqual([0, 0.75, null, 0])
  })

  it.each([
    ['a finding is of the turns that its tokens touch', [finding('M01', [7, 9])], [null, 'error', 'error', null]],
    ['one that ends where a turn begins is not in it', [finding('M01', [0, 4])], ['error', null, null, null]],
    [
      'one that names its turn is of that alone',
      [{ ...finding('M01', [0, 14]), turn: 1 }],
      [null, 'error', null, null],
    ],
    [
      'the worst is told',
      [finding('T05', [0, 14], 'info'), finding('M02', [8, 9], 'warning')],
      ['info', 'info', 'warning', 'info'],
    ],
    ['what the policy intends is none', [{ ...finding('M01', [0, 14]), intended: true }], [null, null, null, null]],
    ['one of the whole group is in no turn', [finding('A01', null)], [null, null, null, null]],
  ])('%s', (_, findings, expected) => {
    expect(worstOf(...(findings as Finding[]))).toEqual(expected)
  })
})
