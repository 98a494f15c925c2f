import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckResult } from '../../shared/model/report.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { subsetText } from '../../shared/model/subset-text.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { whereFaultsStand } from '../../shared/session/concluding/where-faults-stand.ts'
import {
  assistant,
  call,
  conversation,
  SEARCH_TOOL,
  system,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { factsOf } from '../helpers/facts.ts'
import { resultOf } from '../hypotheses/input.ts'
import { audited, qwen } from './dumps.ts'

interface Told {
  readonly has: boolean
  readonly tools?: string
  readonly parallel?: boolean
  readonly turns?: number
  readonly tokens?: number
  readonly replies?: readonly number[]
  readonly lookedAt?: string
}

/** What is said of a fault that these rollouts have, at turns of theirs unless `over` says otherwise. */
function judged(rollouts: readonly Told[], over: Partial<CheckResult> = {}): CheckResult {
  const affected = rollouts.filter(({ has }) => has).length
  const by_turn = { 1: affected }
  const check = resultOf('M10', { affected, checked: rollouts.length, pattern: 'sporadic', by_turn, ...over })
  const rows = Uint8Array.from(rollouts, ({ has }) => Number(has))
  const all = rollouts.map(({ tools, parallel, turns = 3, tokens, replies, lookedAt = 'M10' }, record) =>
    factsOf(record, {
      assistantTurns: turns,
      lookedAt,
      ...(tools === undefined ? {} : { calledTools: tools }),
      ...(parallel === true ? { parallelCalls: true } : {}),
      ...(tokens === undefined ? {} : { realLength: tokens }),
      ...(replies === undefined ? {} : { toolReplyLengths: replies }),
    }),
  )
  const [result] = atOnce(whereFaultsStand([check], new Map([[check.code, rows]]), all, DEFAULT_THRESHOLDS))
  return result as CheckResult
}

const many = (count: number, told: (at: number) => Told) => Array.from({ length: count }, (_, at) => told(at))

describe('a fault of rollouts that code treats otherwise', () => {
  it('is systematic in those with parallel calls, and says so', () => {
    const check = judged(many(64, (at) => ({ has: at % 3 === 0, parallel: at % 3 === 0 })))
    expect(check).toMatchObject({ pattern: 'systematic', systematic_in: { rollouts: { parallel_calls: true } } })
    expect(subsetText(check)).toBe('in rollouts with parallel calls')
  })

  it('is systematic in those that call one tool, whatever else they call', () => {
    const check = judged(
      many(64, (at) => ({ has: at % 4 === 0, tools: at % 4 === 0 ? 'calculate search' : at % 2 ? 'search' : 'open' })),
    )
    expect(check.systematic_in).toEqual({ rollouts: { tool: 'calculate' } })
    expect(subsetText(check)).toBe('in rollouts that call calculate')
  })

  it('is systematic in those of so many turns', () => {
    const check = judged(many(64, (at) => ({ has: at % 5 >= 3, turns: 1 + (at % 5) })))
    expect(check.systematic_in).toEqual({ rollouts: { least_turns: 4 } })
    expect(subsetText(check)).toBe('in rollouts of 4 turns of the model or more')
  })

  it('is systematic in those with a reply that is empty, or as short as one that failed', () => {
    const short = (length: number) => (at: number) =>
      at % 4 === 0 ? { has: true, replies: [90 + at, length] } : { has: false, replies: [80 + at, 70] }
    const empty = judged(many(64, short(0)))
    expect(empty).toMatchObject({ pattern: 'systematic', systematic_in: { rollouts: { most_reply_tokens: 0 } } })
    expect(subsetText(empty)).toBe('in rollouts with an empty tool reply')
    expect(subsetText(judged(many(64, short(12))))).toBe('in rollouts with a tool reply of 12 tokens or fewer')
  })

  it('is systematic in those of so many tokens', () => {
    const check = judged(many(64, (at) => ({ has: at >= 44, tokens: 300 + 10 * at })))
    expect(check.systematic_in).toEqual({ rollouts: { least_tokens: 740 } })
    expect(subsetText(check)).toBe('in rollouts of 740 tokens or more')
  })

  it('is counted against those that the check looked at', () => {
    const some = (lookedAt: string) =>
      judged(many(64, (at) => ({ has: at % 4 === 0, parallel: at % 2 === 0, ...(at % 4 === 2 ? { lookedAt } : {}) })))
    expect(some('M01').pattern).toBe('systematic')
    expect(some('M10').pattern).toBe('sporadic')
  })
})

describe('a fault that is in some of such rollouts, or in others too', () => {
  it('stays sporadic', () => {
    expect(judged(many(64, (at) => ({ has: at % 4 === 0, parallel: at % 2 === 0 }))).pattern).toBe('sporadic')
    expect(judged(many(64, (at) => ({ has: at % 3 === 0 || at === 1, parallel: at % 3 === 0 }))).pattern).toBe(
      'sporadic',
    )
  })

  it('stays sporadic where one is short or failed and has it not, or is long and has it', () => {
    const replies = (at: number) => [at % 2 === 0 || at === 7 ? 3 : 70]
    expect(judged(many(64, (at) => ({ has: at % 2 === 0, replies: replies(at) }))).pattern).toBe('systematic')
    expect(judged(many(64, (at) => ({ has: at % 2 === 0 || at === 9, replies: replies(at) }))).pattern).toBe('sporadic')
    expect(judged(many(64, (at) => ({ has: at >= 44 || at === 9, tokens: 300 + 10 * at }))).pattern).toBe('sporadic')
  })

  it('stays sporadic where it strikes one token of many alike', () => {
    const long = many(64, (at) => ({ has: at >= 32, tokens: at < 32 ? 400 : 20_000 + at }))
    // As many turns in short ones and long ones, one of which has it.
    expect(judged(long, { places: { checked: 64 * 3, affected: 32 } }).pattern).toBe('sporadic')
    expect(judged(long, { places: { checked: 64 * 3, affected: 96 } }).pattern).toBe('sporadic')
    const less = many(64, (at) => ({ has: at >= 32, tokens: at < 32 ? 400 : 600 + at }))
    expect(judged(less, { places: { checked: 64 * 3, affected: 96 } }).pattern).toBe('systematic')
  })

  it('stays sporadic where they are few, or nearly all', () => {
    expect(judged(many(64, (at) => ({ has: at < 9, parallel: at < 9 }))).pattern).toBe('sporadic')
    expect(judged(many(64, (at) => ({ has: at > 8, parallel: at > 8 }))).pattern).toBe('sporadic')
    expect(judged(many(300, (at) => ({ has: at < 20, parallel: at < 20 }))).pattern).toBe('sporadic')
  })

  it('stays sporadic where it is of whole rollouts, or of what a limit cut', () => {
    const long = many(64, (at) => ({ has: at % 4 === 0, turns: at % 4 === 0 ? 8 : 2 }))
    // All turns of the long ones, of all turns.
    const places = { checked: 16 * 8 + 48 * 2, affected: 16 * 8 }
    expect(judged(long, { places }).pattern).toBe('systematic')
    expect(judged(long, { places, by_turn: {} }).pattern).toBe('sporadic')
    expect(judged(long, { places, code: 'C03' }).pattern).toBe('sporadic')
  })

  it('is never said to be of a kind that it does not fill, or that is not alone with it', () => {
    const rollout = fc.record({
      tools: fc.constantFrom('calculate', 'search', 'calculate search', 'open'),
      parallel: fc.boolean(),
      turns: fc.integer({ min: 1, max: 8 }),
      tokens: fc.integer({ min: 200, max: 900 }),
      replies: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
      luck: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(
        fc.array(rollout, { minLength: 60, maxLength: 90 }),
        fc.double({ min: 0.2, max: 0.8 }),
        (all, share) => {
          const told = judged(all.map(({ luck, ...rest }) => ({ ...rest, has: luck < share })))
          if (told.systematic_in === undefined) return
          const has = all.filter(({ luck }) => luck < share)
          expect(has.length).toBeGreaterThanOrEqual(DEFAULT_THRESHOLDS['systematic-subset-units'])
          const { rollouts } = told.systematic_in
          const isOfKind = (at: (typeof all)[number]) =>
            rollouts !== undefined &&
            ('parallel_calls' in rollouts
              ? at.parallel
              : 'tool' in rollouts
                ? at.tools.split(' ').includes(rollouts.tool)
                : 'least_turns' in rollouts
                  ? at.turns >= rollouts.least_turns
                  : 'least_tokens' in rollouts
                    ? at.tokens >= rollouts.least_tokens
                    : at.replies.some((length) => length <= rollouts.most_reply_tokens))
          expect(has.every(isOfKind)).toBe(true)
          const kind = all.filter(isOfKind)
          expect(has.length).toBeGreaterThanOrEqual(DEFAULT_THRESHOLDS['systematic-share'] * kind.length)
        },
      ),
    )
  })
})

describe('ends that are masked where a turn calls twice', () => {
  /** Every third rollout asks two things at once. */
  async function patternWhere(isMasked: (at: number, calls: number) => boolean) {
    const tokenizer = await qwen()
    const rows = Array.from({ length: 48 }, (_, at) => {
      const names = at % 3 === 0 ? [`river ${at}`, `hill ${at}`] : [`river ${at}`]
      const calls = names.map((query) => call(tokenizer, 'search', { query })).join('\n')
      const turns = [
        system(withToolSchema('Answer with the help of the search.')),
        user(`Where does river ${at} rise?`),
        assistant(calls, { train: { content: true, end: !isMasked(at, names.length) } }),
        ...names.map((name) => tool(`Document ${at}: of ${name} the maps of Teal ${at % 7} tell.`)),
        assistant(`It rises in the hills, says document ${at}.`),
      ]
      return conversation(tokenizer, turns, {
        id: `rollout-${at}`,
        tools: [SEARCH_TOOL],
        messages: true,
        logprobs: 'both',
      }).record
    })
    const report = (await audited(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))).report()
    const { pattern, systematic_in } = report.checks.find(({ code }) => code === 'M10') as CheckResult
    return [pattern, systematic_in?.rollouts, report.hypotheses.find(({ id }) => id === 'H02')?.verdict]
  }

  it('are a systematic fault', async () => {
    expect(await patternWhere((_, calls) => calls > 1)).toEqual(['systematic', { parallel_calls: true }, 'supported'])
  })

  it('are a sporadic one where some of these turns are trained, or another is not', async () => {
    const sporadic = ['sporadic', undefined, 'inconclusive']
    expect(await patternWhere((at, calls) => calls > 1 && at > 6)).toEqual(sporadic)
    expect(await patternWhere((at, calls) => calls > 1 || at === 1)).toEqual(sporadic)
  })
})

describe('headers that are missing where two things were asked at once', () => {
  it('are none that are missing after every first turn, which another cause has', async () => {
    const tokenizer = await qwen()
    const defectsWhere = async (isMissing: (at: number) => boolean) => {
      const rows = Array.from({ length: 48 }, (_, at) => {
        const names = at % 3 === 0 ? [`river ${at}`, `hill ${at}`] : [`river ${at}`]
        const turns = [
          system(withToolSchema('Answer with the help of the search.')),
          user(`Where does river ${at} rise?`),
          assistant(names.map((query) => call(tokenizer, 'search', { query })).join('\n')),
          ...names.map((name) => tool(`Document ${at}: of ${name} the maps of Teal ${at % 7} tell.`)),
          assistant(`It rises in the hills, says document ${at}.`, { header: !isMissing(at) }),
        ]
        return `${JSON.stringify(conversation(tokenizer, turns, { tools: [SEARCH_TOOL], messages: true }).record)}\n`
      })
      const { checks, defects } = (await audited(rows.join(''))).report()
      return [checks.find(({ code }) => code === 'T05')?.pattern, defects.map(({ id }) => id)]
    }
    expect(await defectsWhere((at) => at % 3 === 0)).toEqual(['systematic', []])
    expect(await defectsWhere(() => true)).toEqual(['systematic', ['V2']])
  })
})
