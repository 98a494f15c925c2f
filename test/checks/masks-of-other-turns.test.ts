import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../shared/checks/oracles/shape.ts'
import { createView } from '../../shared/checks/view.ts'
import type { PolicyId } from '../../shared/model/policy.ts'
import { type SearchChanges, searchRow } from '../fixtures/checks/fixture.ts'
import { type Conversation, type TurnSpec, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const llama3 = await testTokenizer('llama3')

type MaskEdit = (mask: number[], layout: Conversation['layout']) => void

const shift =
  (lag: number): MaskEdit =>
  (mask) => {
    const zeros = Array.from({ length: Math.abs(lag) }, () => 0)
    if (lag > 0) mask.splice(0, mask.length, ...zeros, ...mask.slice(0, -lag))
    else mask.splice(0, mask.length, ...mask.slice(-lag), ...zeros)
  }

const invert: MaskEdit = (mask) => mask.splice(0, mask.length, ...mask.map((trains) => 1 - trains))

/** The environment has the last word, and trains it where it `trains`. */
const answered = (trains = false): SearchChanges => ({
  after: () =>
    [{ role: 'environment', text: 'The state of the game is now another one.', train: trains }] as TurnSpec[],
})

/** What is said of a mask where a format documents that the last turn is trained. */
function shaped(changes: SearchChanges, editMask: MaskEdit = () => {}, policy: PolicyId = 'last-turn') {
  const base = settings(policy)
  const declared = { ...base, policy: { ...base.policy, origin: 'format' as const } }
  const trajectory = trajectoryOf(searchRow(llama3, 0, changes, { editMask }))
  const view = createView(trajectory, { tokenizer: llama3, settings: declared, unsampledLogprob: null })
  const { lag, inverted } = shapeOf(view!)
  return { lag, inverted: inverted !== null }
}

const lastAlone: SearchChanges = { ...answered(), call: { train: false } }
const inPlace = { lag: 0, inverted: false }

describe('rows in which an environment has the last word, of a format that trains the last turn', () => {
  it.each([1, -1, 2])('all turns of the model are trained, and lie %i off', (lag) => {
    expect(shaped(answered(), shift(lag))).toEqual({ lag, inverted: false })
  })

  it.each([1, -1])('its last turn alone is trained, and lies %i off', (lag) => {
    expect(shaped(lastAlone, shift(lag))).toEqual({ lag, inverted: false })
  })

  it.each([answered(), lastAlone])('a mask that is turned around', (changes) => {
    expect(shaped(changes, invert)).toEqual({ lag: 0, inverted: true })
  })

  it.each([
    ['all turns', answered()],
    ['the last turn of the model', lastAlone],
    [
      'the last turn, which is the environment’s',
      { ...answered(true), call: { train: false }, answer: { train: false } },
    ],
    ['nothing', { ...lastAlone, answer: { train: false } }],
  ] as [string, SearchChanges][])('in place: what trains %s', (_name, changes) => {
    expect(shaped(changes)).toEqual(inPlace)
  })

  it('a long last word of the environment is no inversion', () => {
    const text = 'The state of the game is now another one. '.repeat(200)
    const changes = { call: { train: false }, answer: { train: false } }
    const after = () => [{ role: 'environment', text, train: true }] as TurnSpec[]
    expect(shaped({ ...changes, after })).toEqual(inPlace)
  })
})

it('rows that end with the model’s turn, all of which are trained', () => {
  expect(shaped({}, invert)).toEqual({ lag: 0, inverted: true })
  expect(shaped({})).toEqual(inPlace)
})
