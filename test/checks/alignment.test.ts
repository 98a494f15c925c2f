import { describe, expect, it } from 'vitest'
import { countAlignment, decideAlignment, maskLag } from '../../shared/checks/oracles/alignment.ts'
import { shapeOf } from '../../shared/checks/oracles/shape.ts'
import { createView } from '../../shared/checks/view.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { Expected, TokenState } from '../../shared/model/tokens.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { type FixtureDump, searchRow, searchRows } from '../fixtures/checks/fixture.ts'
import {
  assistant,
  type Conversation,
  conversation,
  type RecordOptions,
  trajectoryOf,
  user,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, settings } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

const shifted = (lag: number): RecordOptions => ({
  editMask: (mask) => {
    const copy = [...mask]
    for (const i of copy.keys()) mask[i] = copy[i - lag] ?? 0
  },
})

const viewsOf = (rows: readonly Conversation[], mayMarkTargets = false) =>
  rows.map((row) => {
    const options = { tokenizer: qwen2, settings: settings(), unsampledLogprob: null, mayMarkTargets }
    return createView(trajectoryOf(row), options)!
  })

const countsOf = (rows: readonly Conversation[]) => countAlignment(viewsOf(rows, true), DEFAULT_THRESHOLDS)

describe('the lag of a mask', () => {
  it.each([-3, -2, -1, 0, 1, 2, 3])('is found at %i', (lag) => {
    const [view] = viewsOf([searchRow(qwen2, 0, {}, shifted(lag))])
    expect(maskLag(view!.mask!, view!.expected!, view!.ids.length, DEFAULT_THRESHOLDS)).toMatchObject({ lag, score: 1 })
  })

  it.each([4, 11, 37])('is that of %i tokens of padding on the left that the mask does not count', (padLeft) => {
    const early: RecordOptions = { ...shifted(-padLeft), padLeft }
    const [view] = viewsOf([searchRow(qwen2, 0, {}, early)])
    const { lag } = maskLag(view!.mask!, view!.expected!, view!.ids.length, DEFAULT_THRESHOLDS, padLeft)
    expect(lag).toBe(-padLeft)
    const [right] = viewsOf([searchRow(qwen2, 0, {}, { padLeft })])
    expect(maskLag(right!.mask!, right!.expected!, right!.ids.length, DEFAULT_THRESHOLDS, padLeft).lag).toBe(0)
  })

  it.each([-8, -5, -4, 4, 5, 8])('is found at %i, where both ends of spans are seen', (lag) => {
    const [view] = viewsOf([searchRow(qwen2, 0, {}, shifted(lag))])
    expect(maskLag(view!.mask!, view!.expected!, view!.ids.length, DEFAULT_THRESHOLDS)).toMatchObject({ lag, score: 1 })
    expect(shapeOf(view!)).toMatchObject({ lag, lagScore: 1 })
  })

  it('is none where the first span lies in place, or all further off than any header is long', () => {
    const lagOf = (edit: NonNullable<RecordOptions['editMask']>) => {
      const [view] = viewsOf([searchRow(qwen2, 0, {}, { editMask: edit })])
      return shapeOf(view!).lag
    }
    const moved = (mask: number[], from: number, lag: number) => {
      const copy = mask.slice()
      for (let i = from; i < mask.length; i++) mask[i] = i - lag < from ? 0 : (copy[i - lag] ?? 0)
    }
    expect(lagOf((mask) => moved(mask, 0, 4))).toBe(4)
    expect(lagOf((mask) => moved(mask, mask.indexOf(0, mask.indexOf(1)), 4))).toBe(0)
    expect(lagOf((mask) => moved(mask, 0, 12))).toBe(0)
  })

  it.each([-1, -2, -3])('is found at %i where no end token is trained at all', (lag) => {
    const ends = { call: { train: { content: true, end: false } }, answer: { train: { content: true, end: false } } }
    const [view] = viewsOf([searchRow(qwen2, 0, ends, shifted(lag))])
    expect(maskLag(view!.mask!, view!.expected!, view!.ids.length, DEFAULT_THRESHOLDS)).toMatchObject({
      lag,
      withoutEnds: true,
    })
    const [right] = viewsOf([searchRow(qwen2, 0, ends)])
    expect(maskLag(right!.mask!, right!.expected!, right!.ids.length, DEFAULT_THRESHOLDS).lag).toBe(0)
  })

  it('is found in a row of one turn that ends with it, where the end of a late mask falls off the row', () => {
    const { record } = conversation(qwen2, [user('2 + 2?'), assistant('It is 4.')], { cutRight: 1 })
    const row = (mask: number[]) =>
      conversation(qwen2, [user('2 + 2?'), assistant('It is 4.')], {
        cutRight: 1,
        editMask: (own) =>
          mask.forEach((value, i) => {
            own[i] = value
          }),
      })
    const right = record.loss_mask!
    expect(right.at(-1)).toBe(1)
    const lagOf = (mask: number[]) => {
      const [view] = viewsOf([row(mask)])
      return maskLag(view!.mask!, view!.expected!, view!.ids.length, DEFAULT_THRESHOLDS).lag
    }
    expect(lagOf(right.map((_, i) => right[i - 1] ?? 0))).toBe(1)
    // Two tokens that are not trained may be words of the prompt.
    expect(lagOf(right.map((_, i) => right[i - 2] ?? 0))).toBe(0)
  })

  describe('of a mask over the response alone', () => {
    const ofResponse = (turns: Parameters<typeof searchRow>[2], lag: number) => {
      const { record } = searchRow(qwen2, 0, turns)
      const first = record.loss_mask!.indexOf(1)
      const response = record.loss_mask!.slice(first)
      const mask = [...Array<number>(first).fill(0), ...response.map((_, i) => response[i - lag] ?? 0)]
      const row = searchRow(qwen2, 0, turns, { editMask: (own) => void own.splice(0, own.length, ...mask) })
      const arrays = [{ name: 'response_mask', length: response.length, expected: response.length }]
      const options = { tokenizer: qwen2, settings: settings(), unsampledLogprob: null }
      return createView({ ...trajectoryOf(row), arrays }, options)!
    }

    it.each([
      -3, -2, -1, 1, 2, 3,
    ])('is found at %i, where the first start falls into the prompt if it is early', (lag) => {
      expect(shapeOf(ofResponse({}, lag)).lag).toBe(lag)
    })

    it('is found where the mask has places before a shorter response, which hold nothing', () => {
      const view = ofResponse({}, -1)
      const first = searchRow(qwen2, 0).record.loss_mask!.indexOf(1)
      const length = view.ids.length - first + 5
      const arrays = [{ name: 'loss_mask', length, expected: length }]
      const wider = { ...view, trajectory: { ...view.trajectory, arrays, promptLength: first } }
      expect(shapeOf(wider).lag).toBe(-1)
      expect(shapeOf({ ...wider, trajectory: { ...wider.trajectory, promptLength: null } }).lag).toBe(0)
    })

    it('is found where nothing is known of end tokens, and the stored mask begins with a turn, where a right one begins as well', () => {
      const lagOf = (lag: number) => {
        const { segmentation, ids, ...view } = ofResponse({}, lag)
        const expected = view.expected!.slice()
        for (const { kind, endToken } of segmentation!.turns)
          if (kind === 'assistant') expected[endToken] = Expected.undecided
        return shapeOf({ ...view, ids, segmentation, expected }).lag
      }
      expect([-2, -1, 0].map(lagOf)).toEqual([-2, -1, 0])
    })

    it('is none where end tokens are masked, or headers are trained as well', () => {
      const ends = { call: { train: { end: false } }, answer: { train: { end: false } } }
      expect(shapeOf(ofResponse(ends, 0)).lag).toBe(0)
      const headers = { answer: { train: { header: true, end: false } }, call: { train: { end: false } } }
      expect(shapeOf(ofResponse(headers, 0)).lag).toBe(0)
    })

    it('is a fault where every mask lies one early: one that marks predictions would begin before the response', () => {
      const turns = Array.from({ length: 12 }, (_, i) => [user(`${i} + 2?`), assistant(`It is ${i + 2}.`)]).flat()
      const right = conversation(qwen2, turns).record.loss_mask!
      const first = right.indexOf(1)
      const decidedOf = (from: number) => {
        const editMask = (own: number[]) => {
          for (const i of right.keys()) own[i] = i < from ? 0 : (right[i + 1] ?? 0)
        }
        const arrays = [{ name: 'loss_mask', length: right.length - from, expected: right.length - from }]
        const options = { tokenizer: qwen2, settings: settings(), unsampledLogprob: null }
        const row = conversation(qwen2, turns, { editMask })
        const views = [createView({ ...trajectoryOf(row), arrays }, options)!]
        return decideAlignment(countAlignment(views, DEFAULT_THRESHOLDS), null, 'auto', DEFAULT_THRESHOLDS)
      }
      expect(decidedOf(first)).toEqual({ alignment: 'token', undecided: false })
      expect(decidedOf(0)).toEqual({ alignment: 'target', undecided: true })
    })

    it('is not told from masked end tokens in a row of one turn', () => {
      const row = conversation(qwen2, [user('2 + 2?'), assistant('It is 4.', { train: { end: false } })])
      const length = row.record.loss_mask!.length - row.record.loss_mask!.indexOf(1)
      const arrays = [{ name: 'response_mask', length, expected: length }]
      const options = { tokenizer: qwen2, settings: settings(), unsampledLogprob: null }
      expect(shapeOf(createView({ ...trajectoryOf(row), arrays }, options)!).lag).toBe(0)
    })
  })

  it('is none where only starts or only ends are displaced', () => {
    const headers = searchRow(qwen2, 0, { call: { train: { header: true } }, answer: { train: { header: true } } })
    const ends = searchRow(qwen2, 0, { call: { train: { end: false } }, answer: { train: { end: false } } })
    for (const view of viewsOf([headers, ends])) {
      expect(maskLag(view.mask!, view.expected!, view.ids.length, DEFAULT_THRESHOLDS).lag).toBe(0)
    }
  })

  it.each([
    ['end tokens are masked', { call: { train: { end: false } }, answer: { train: { end: false } } }, {}, 0],
    ['the mask lies early', {}, shifted(-1), -1],
    ['the mask lies late', {}, shifted(1), 1],
    ['the mask is right', {}, {}, 0],
  ])('where %s and nothing is known of the first tokens of turns', (_, turns, options, lag) => {
    const [view] = viewsOf([searchRow(qwen2, 0, turns, options)])
    const expected = view!.expected!.slice()
    for (const { kind, contentStart } of view!.segmentation!.turns) {
      if (kind === 'assistant') expected[contentStart] = Expected.undecided
    }
    expect(maskLag(view!.mask!, expected, view!.ids.length, DEFAULT_THRESHOLDS).lag).toBe(lag)
  })
})

describe('alignment', () => {
  const early = searchRows({}, shifted(-1))(qwen2)

  it('is what the person declares, then what the format documents', () => {
    expect(decideAlignment(countsOf(early), null, 'token', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'token',
      undecided: false,
    })
    expect(decideAlignment(countsOf(early), 'token', 'target', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'target',
      undecided: false,
    })
    expect(decideAlignment(countsOf(early), 'token', 'auto', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'token',
      undecided: false,
    })
  })

  it('is undecided where every mask lies one early', () => {
    expect(decideAlignment(countsOf(early), null, 'auto', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'target',
      undecided: true,
    })
  })

  it('is token where only some masks do, or all lie late', () => {
    const mixed = [...early, searchRow(qwen2, 3)]
    expect(decideAlignment(countsOf(mixed), null, 'auto', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'token',
      undecided: false,
    })
    const late = searchRows({}, shifted(1))(qwen2)
    expect(decideAlignment(countsOf(late), null, 'auto', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'token',
      undecided: false,
    })
  })

  it('is target where masks have one element less than ids', () => {
    const rows = searchRows({}, { editMask: (mask) => void mask.shift() })(qwen2)
    expect(decideAlignment(countsOf(rows), null, 'auto', DEFAULT_THRESHOLDS)).toEqual({
      alignment: 'target',
      undecided: false,
    })
  })
})

describe('what follows from it', () => {
  const dump: FixtureDump = { story: 'early masks', family: 'qwen2.5', rows: searchRows({}, shifted(-1)) }

  it('undecided, M06 is not checkable, asks for a declaration and nothing fails', async () => {
    const { byCode, failing, views } = await auditDump(dump)
    expect(failing).toEqual([])
    expect(byCode.get('M06')).toMatchObject({ abstained: { status: 'not-checkable' }, tally: { checked: 0 } })
    const row = searchRow(qwen2, 0)
    expect(Array.from(views[0]!.states, (state) => +(state === TokenState.trained))).toEqual([...row.sampled])
  })

  it('declared token-aligned, it is M06 and no edge is named beside it', async () => {
    const { byCode, failing } = await auditDump({ ...dump, options: { maskAlignment: 'token' } })
    expect(failing).toEqual(['M06'])
    expect(byCode.get('M06')?.findings[0]).toMatchObject({
      message: 'The loss mask is shifted: every edge lies 1 token too early',
      evidence: { lag: -1 },
    })
  })

  it('of masks without end tokens it is M06 and no trained header, or asks for a declaration and says what they lack', async () => {
    const ends = { call: { train: { content: true, end: false } }, answer: { train: { content: true, end: false } } }
    const without = { ...dump, rows: searchRows(ends, shifted(-1)) }
    const declared = await auditDump({ ...without, options: { maskAlignment: 'token' } })
    expect(declared.failing).toEqual(['M06'])
    expect(declared.byCode.get('M06')?.findings[0]?.message).toMatch(
      /1 token too early, and no end token is meant to be trained$/,
    )
    const open = await auditDump(without)
    expect(open.failing).toEqual(['M10'])
    expect(open.byCode.get('M06')?.abstained).toMatchObject({ status: 'not-checkable' })
  })

  it('documented by the format as token-aligned, it is M06 as well', async () => {
    expect((await auditDump({ ...dump, format: { maskAlignment: 'token' } })).failing).toEqual(['M06'])
  })
})

describe('masks of texts without turns', () => {
  const QUESTION = qwen2.encode('Question: how many pens are left?\nAnswer:')
  const ANSWER = [...qwen2.encode(' 17 of 20 pens are left.'), 151643]

  /** How the masks of a dump are aligned that lie so many tokens late, and of which the sampler scored the answers, or everything. */
  function decided(lag: number, scored: 'answers' | 'all' | 'none' = 'answers') {
    const ids = Int32Array.from([...QUESTION, ...ANSWER])
    const own = (at: number) => at >= QUESTION.length && at < ids.length
    const sampler = Float32Array.from(ids, (_, at) => (scored === 'all' || own(at) ? -0.5 : Number.NaN))
    const trajectory = {
      ...emptyTrajectory({ source: 0, record: 0, part: 0 }, '0'),
      ids,
      mask: Uint8Array.from(ids, (_, at) => (own(at - lag) ? 1 : 0)),
      logprobs: { sampler: scored === 'none' ? null : sampler, trainer: null, reference: null },
    }
    const view = createView(trajectory, { tokenizer: qwen2, settings: settings(), unsampledLogprob: null })!
    return decideAlignment(countAlignment([view], DEFAULT_THRESHOLDS), null, 'auto', DEFAULT_THRESHOLDS)
  }

  it('leave it open where all lie one token before what the dump says was sampled', () => {
    expect(decided(-1)).toEqual({ alignment: 'target', undecided: true })
  })

  it('are aligned to tokens where they lie in place or otherwise, or nothing says what was sampled', () => {
    const toTokens = { alignment: 'token', undecided: false }
    for (const lag of [0, 1, -2]) expect(decided(lag)).toEqual(toTokens)
    for (const scored of ['all', 'none'] as const) expect(decided(-1, scored)).toEqual(toTokens)
  })
})
