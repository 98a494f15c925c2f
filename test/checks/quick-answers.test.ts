import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditSettings, Check, TrajectoryView } from '../../shared/checks/check.ts'
import { M03 } from '../../shared/checks/mask/assistant-masked.ts'
import { M15 } from '../../shared/checks/mask/attention-is-loss-mask.ts'
import { M01 } from '../../shared/checks/mask/tool-output-trained.ts'
import { isAsExpected, shapeOf } from '../../shared/checks/oracles/shape.ts'
import { createTally, TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { T16 } from '../../shared/checks/template/marker-spelt.ts'
import { T06 } from '../../shared/checks/template/role-repeated.ts'
import { createView } from '../../shared/checks/view.ts'
import { kernelInput } from '../../shared/containers/kernel/thread-kernel.ts'
import type { PolicyId } from '../../shared/model/policy.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { type BoundaryCounts, countBoundaries } from '../../shared/session/audit/boundaries.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import { type Tokenizer, TokenKind } from '../../shared/tokens/tokenizer.ts'
import {
  assistant,
  type Conversation,
  conversation,
  system,
  tool,
  trajectoryOf,
  user,
} from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

// What is found out quickly, by many tokens at once or by a look at one id, against what a look at each token says.

const byFamily = new Map(
  await Promise.all(FAMILIES.map(async (family) => [family, await testTokenizer(family)] as const)),
)
const qwen3 = byFamily.get('qwen3') as Tokenizer

function viewOf(trajectory: Trajectory, tokenizer: Tokenizer, under: AuditSettings = settings()): TrajectoryView {
  const view = createView(trajectory, { tokenizer, settings: under, unsampledLogprob: 'nan' })
  if (view === null) throw new Error('a trajectory without ids')
  return view
}

/** Everything that a check reports of one view. */
function reported(check: Check, view: TrajectoryView, under: AuditSettings = settings()) {
  const reporter = new TrajectoryReporter(check, view, under)
  const tally = createTally()
  reporter.turnTo(check, tally)
  check.trajectory?.(view, under, reporter)
  return { findings: reporter.finish().findings, tally }
}

/** The same bytes, and the same bytes in the memory of the kernel. */
function everywhere(bytes: Uint8Array): Uint8Array[] {
  const held = kernelInput(bytes.length)
  if (held === null) throw new Error('this machine runs no WebAssembly with vectors')
  held.set(bytes)
  return [bytes, held]
}

const bytes = fc.array(fc.constantFrom(0, 1, 1, 2, 255), { maxLength: 200 }).map((list) => Uint8Array.from(list))

describe('a mask that is as expected', () => {
  const plain = viewOf(trajectoryOf(conversation(qwen3, [user('Go.'), assistant('Gone.')])), qwen3)

  it('is one of which no token differs', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(220), { maxLength: 2 }), (mask, changed) => {
        const expected = mask.map((value, at) => (changed.includes(at) ? 3 : value))
        for (const one of everywhere(mask)) {
          const agrees = mask.every((value, at) => value === expected[at])
          expect(isAsExpected({ ...plain, mask: one, expected })).toBe(agrees)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is none where there is no mask, or nothing is expected', () => {
    expect(isAsExpected({ ...plain, mask: null })).toBe(false)
    expect(isAsExpected({ ...plain, expected: null })).toBe(false)
  })

  it('is told of as one that is looked at token by token', () => {
    const exchange = fc.record({
      said: fc.constantFrom('Look.', 'I look it up.', ' '),
      reply: fc.constantFrom('1894.', 'It is old.\n\nVery.'),
    })
    const options = fc.record({
      padLeft: fc.nat(3),
      sampled: fc.boolean(),
      logprobs: fc.constantFrom('sampler' as const, undefined),
    })
    const rows = fc.record({
      family: fc.constantFrom(...FAMILIES),
      exchanges: fc.array(exchange, { maxLength: 3 }),
      last: fc.boolean(),
      policy: fc.constantFrom<PolicyId>('rl', 'last-turn', 'sft'),
      // What the dump says of one token, against all the rest.
      told: fc.option(fc.nat(60), { nil: null }),
      options,
    })
    let quick = 0
    fc.assert(
      fc.property(rows, ({ family, exchanges, last, policy, told, options: { logprobs, ...more } }) => {
        const tokenizer = byFamily.get(family) as Tokenizer
        const turns = exchanges.flatMap(({ said, reply }) => [assistant(said), tool(reply)])
        const all = [system('Be brief.'), user('Go.'), ...turns, ...(last ? [assistant('It is 1894.')] : [])]
        const row = conversation(tokenizer, all, { ...more, padRight: 2, ...(logprobs ? { logprobs } : {}) })
        const under = settings(policy)
        if (told !== null && row.record.sampled !== undefined)
          row.record.sampled[told % row.sampled.length] = 1 - (row.sampled[told % row.sampled.length] as number)
        const first = viewOf(trajectoryOf(row), tokenizer, under)
        if (first.expected === null) return
        const asExpected = { ...first, mask: first.expected.slice() }
        // One token of padding is not known: of no turn and no edge, but the mask is no longer the very same.
        const mask = first.expected.slice()
        mask[mask.length - 1] = 255
        const otherwise = { ...first, mask }
        expect(isAsExpected(otherwise)).toBe(false)
        if (isAsExpected(asExpected)) quick++
        for (const check of [M01, M03]) {
          expect(reported(check, asExpected, under)).toEqual(reported(check, otherwise, under))
        }
        expect(shapeOf(asExpected)).toMatchObject({ inverted: null, lag: 0, overrun: null, lateStart: 0 })
        expect(shapeOf(asExpected)).toEqual(shapeOf(otherwise))
        const [counts, others]: BoundaryCounts[] = [{}, {}]
        countBoundaries(asExpected, counts as BoundaryCounts)
        countBoundaries(otherwise, others as BoundaryCounts)
        expect(counts).toEqual(others)
      }),
      { numRuns: 300 },
    )
    expect(quick).toBeGreaterThan(200)
  })
})

describe('M15', () => {
  const row = conversation(qwen3, [user('Go.'), assistant('I look.'), tool('1894.'), assistant('It is 1894.')], {
    padLeft: 3,
    padRight: 4,
  })
  const own = trajectoryOf(row)
  const { length } = own.ids as Int32Array

  it('takes a turn of the model for its own, whatever the ids call it', () => {
    const named = conversation(qwen3, [user('Go.'), { ...assistant('It is 1894.'), role: 'model' }])
    const { ids } = trajectoryOf(named)
    const view = viewOf(
      { ...trajectoryOf(named), attentionMask: new Int32Array((ids as Int32Array).length).fill(1) },
      qwen3,
    )
    expect(view.segmentation?.turns.map(({ role, kind }) => [role, kind])).toEqual([
      ['user', 'user'],
      ['model', 'assistant'],
    ])
    // Only the user's turn is a place: what the model wrote is one where it is hidden.
    expect(reported(M15, view).tally.placesChecked).toBe(1)
  })

  /** Token by token: which real tokens the forward pass does not see, and whether it sees those of the loss alone. */
  function hiddenOf(attention: readonly number[]): { hidden: number[]; equal: boolean } {
    const real = attention.map((_, at) => at).slice(3, length - 4)
    const equal =
      real.every((at) => (attention[at] !== 0 ? 1 : 0) === own.mask?.[at]) && real.some((at) => own.mask?.[at] === 0)
    const seen = real.filter((at) => attention[at] !== 0)
    const [turns, last] = [row.layout[0], row.layout.at(-1)]
    const from = Math.min(seen[0] ?? length - 4, turns?.start ?? length)
    const seenTo = (seen.at(-1) ?? length - 5) + 1
    const to = equal ? Math.max(seenTo, last?.end ?? 0) : seenTo
    return { hidden: real.filter((at) => at >= from && at < to && attention[at] === 0), equal }
  }

  it('counts the tokens that are hidden, one by one', () => {
    const values = fc.oneof(fc.constantFrom(0, 1), fc.constantFrom(0, 1, 1, 1, 2, -1))
    const anything = fc.array(values, { minLength: length, maxLength: length })
    // The loss mask itself, with a token or none changed, and padding of either kind.
    const nearly = fc.tuple(fc.option(fc.nat(length - 1)), fc.constantFrom(0, 1)).map(([changed, padding]) =>
      Array.from(own.mask as Uint8Array, (value, at) => {
        if (at < 3 || at >= length - 4) return padding
        return at === changed ? 1 - value : value
      }),
    )
    fc.assert(
      fc.property(fc.oneof(anything, nearly), (attention) => {
        const view = viewOf({ ...own, attentionMask: Int32Array.from(attention) }, qwen3)
        const { hidden, equal } = hiddenOf(attention)
        const { findings, tally } = reported(M15, view)
        expect(findings.map(({ evidence, tokens }) => ({ ...evidence, tokens }))).toMatchObject(
          hidden.length === 0
            ? []
            : [
                {
                  hidden_tokens: hidden.length,
                  attention_equals_loss_mask: equal,
                  tokens: [hidden[0], (hidden.at(-1) as number) + 1],
                },
              ],
        )
        expect(tally.affectedTokens).toBe(hidden.length)
      }),
      { numRuns: 1000 },
    )
  })
})

/** One rollout whose answer has these ids and no end token behind them. */
function answered(tokenizer: Tokenizer, content: readonly number[]): { view: TrajectoryView; start: number } {
  const row: Conversation = conversation(tokenizer, [user('Go.'), assistant('x', { end: false })])
  const start = row.layout[1]?.contentStart as number
  const ids = [...row.record.input_ids.slice(0, start), ...content]
  const trajectory = trajectoryOf({ ...row, record: { ...row.record, input_ids: ids, loss_mask: ids.map(() => 0) } })
  return { view: viewOf(trajectory, tokenizer), start }
}

describe.each(FAMILIES)('ids that are looked up (%s)', (family) => {
  const tokenizer = byFamily.get(family) as Tokenizer
  const { table } = tokenizer
  const textOf = (...ids: number[]) => decodeSpan(table, Int32Array.from(ids))
  const ordinary = (id: number) => table.kinds[id] === TokenKind.ordinary
  const idsByText = new Map<string, number>()
  for (let id = 0; id < table.size; id++) if (ordinary(id)) idsByText.set(textOf(id), id)
  const idOf = (text: string) => idsByText.get(text) as number
  const newline = idOf('\n')
  const anyId = fc.nat(table.size - 1).filter(ordinary)

  it("T06 finds the turn's own role, and no other id", () => {
    expect(idsByText.has('assistant')).toBe(true)
    // Other roles lead no header of an assistant turn: they are words of an answer.
    const near = ['Assistant', 'user', 'system', 'ipython', ' user', 'tool', 'users', 'assist', 'User', 'sys'].filter(
      (text) => idsByText.has(text),
    )
    const first = fc.oneof(fc.constantFrom('assistant', ...near).map(idOf), anyId)
    fc.assert(
      fc.property(first, fc.constantFrom(newline, idOf(' a')), (id, second) => {
        const { view, start } = answered(tokenizer, [id, second, idOf(' a')])
        const leaks = textOf(id) === 'assistant' && second === newline
        expect(reported(T06, view).findings.map(({ tokens }) => tokens)).toEqual(leaks ? [[start, start + 2]] : [])
      }),
      { numRuns: 200 },
    )
  })

  /** A text in ordinary tokens, of which `choices` says how long each is. */
  function spelt(text: string, choices: readonly number[]): number[] {
    const ids: number[] = []
    for (let at = 0; at < text.length; ) {
      const fitting = Array.from({ length: text.length - at }, (_, k) => text.slice(at, at + k + 1)).filter((piece) =>
        idsByText.has(piece),
      )
      const piece = fitting[(choices[ids.length % choices.length] as number) % fitting.length] as string
      ids.push(idOf(piece))
      at += piece.length
    }
    return ids
  }

  const choices = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 })

  it('T16 finds an end token in letters, however they are cut, and no letters that are nearly one', () => {
    const marker = textOf(tokenizer.frame?.turnEnds[0] as number)
    const changed = fc.option(fc.nat(marker.length - 1), { nil: null })
    fc.assert(
      fc.property(choices, changed, fc.boolean(), (cut, at, isFollowed) => {
        const text = at === null ? marker : `${marker.slice(0, at)}x${marker.slice(at + 1)}`
        const letters = spelt(text, cut)
        const { view, start } = answered(tokenizer, [idOf(' a'), ...letters, ...(isFollowed ? [newline] : [])])
        const found = at === null && letters.length > 1
        expect(reported(T16, view).findings.map(({ tokens }) => tokens)).toEqual(
          found ? [[start + 1, start + 1 + letters.length]] : [],
        )
      }),
      { numRuns: 200 },
    )
  })

  if (tokenizer.frame?.think?.open.length !== 1) return

  it('T16 finds a thought that is opened in letters, however they are cut', () => {
    fc.assert(
      fc.property(choices, fc.option(fc.nat(6), { nil: null }), (cut, at) => {
        const text = at === null ? '<think>' : `${'<think>'.slice(0, at)}x${'<think>'.slice(at + 1)}`
        const letters = spelt(text, cut)
        const { view, start } = answered(tokenizer, [...letters, idOf(' a')])
        const found = at === null && letters.length > 1
        expect(reported(T16, view).findings.map(({ tokens }) => tokens)).toEqual(
          found ? [[start, start + letters.length]] : [],
        )
      }),
      { numRuns: 200 },
    )
  })
})
