import { describe, expect, it } from 'vitest'
import type { Random } from '../../samples/random.ts'
import { placeholdersAmong } from '../../shared/checks/logprobs/placeholders.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { noise, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { found, sampledIn, surprise, writtenIn } from '../planted/plants/logprob-changes.ts'
import { type PlantedToken, turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'
import { nemoRl } from '../planted/writers/nemo-rl.ts'

const WRITERS = [
  ['native', native],
  ['nemo-rl', nemoRl],
] as const

/** What was sampled in each turn of the model. */
type Turns = readonly (readonly PlantedToken[])[]

describe.each(WRITERS)('exact zeros that the trainer contradicts, in %s', (_, writer) => {
  async function codesOf(change: (turns: Turns, random: Random) => void) {
    const dump = await cleanDump('exact zeros', 'qwen3', {
      groups: 2,
      padding: 'right',
      finish: (rollout, random) =>
        change(
          turnsBy(rollout, 'assistant').map((turn) => sampledIn(rollout, writtenIn(turn))),
          random,
        ),
    })
    const faults = faultsOf(await audit(dump, writer))
    return [...new Set(faults.flatMap(({ code, severity }) => (severity === 'info' ? [] : [code])))]
  }

  /** Both engines are certain of the first words of every turn. */
  const openCertainly = (turns: Turns) => {
    for (const turn of turns) {
      for (const token of turn.slice(0, 4)) {
        token.sampler = 0
        found(token, 0)
      }
    }
  }

  it('are those of another context (L02) where later turns open with them and the first agrees', async () => {
    const codes = await codesOf((turns, random) => {
      openCertainly(turns)
      for (const turn of turns.slice(1)) surprise(turn.slice(0, 4), random)
    })
    expect(codes).toEqual(['L02'])
  })

  it('are placeholders (L05) where they stand behind an opening that the trainer agrees with', async () => {
    const codes = await codesOf((turns, random) => {
      openCertainly(turns)
      for (const turn of turns.slice(1)) surprise(turn.slice(2, 4), random)
    })
    expect(codes).toEqual(['L05'])
  })

  it('are placeholders alone (L05) where nobody wrote a logprob, and no prefill, appended end or renormalised distribution', async () => {
    const codes = await codesOf((turns, random) => {
      for (const token of turns.flat()) {
        token.sampler = 0
        found(token, random.chance(0.6) ? -0.01 : -0.05 - random.exponential() / 2)
      }
    })
    expect(codes).toEqual(['L05'])
  })

  it('are those of another context where the trainer is off in most of a turn that was nearly certain', async () => {
    const codes = await codesOf((turns, random) => {
      const last = turns.at(-1) ?? []
      for (const [into, token] of last.entries()) token.sampler = into % 4 === 3 ? Math.min(token.sampler, -0.01) : 0
      for (const token of last) found(token, token.sampler - 1 - random.exponential())
    })
    expect(codes).toEqual(['L02'])
  })

  it('are one fault, with its end and the zeros between, where the whole of a turn has no logprobs', async () => {
    const codes = await codesOf((turns) => {
      for (const [into, token] of (turns.at(-1) ?? []).entries()) {
        token.sampler = 0
        found(token, into % 4 === 3 ? -0.3 : -1.5)
      }
      const [before, end] = (turns.at(-1) ?? []).slice(-2)
      for (const token of [before, end]) if (token !== undefined) found(token, -1.5)
    })
    expect(codes).toEqual(['L05'])
  })
})

describe('an exact zero in a rollout where the engines differ', () => {
  const codesWith = async (trainer: number) => {
    const rows = scoredRows((scores) => {
      for (const token of scores.sampled) {
        const own = scores.sampler[token] as number
        if (own < 0) scores.trainer[token] = Math.min(0, own + (noise(token * 5) - 0.5) * 0.8)
      }
      const certain = scores.sampled.find((token, at) => at > 30 && scores.sampler[token] === 0) as number
      scores.trainer[certain] = trainer
    })
    const tokenizer = await testTokenizer('qwen2.5')
    const trajectories = rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
    const { byCode } = await auditTrajectories(trajectories, tokenizer)
    return ['L01', 'L05'].filter((code) => (byCode.get(code)?.findings.length ?? 0) > 0)
  }

  it('is as noisy as the others', async () => expect(await codesWith(-0.7)).toEqual(['L01']))
  it('is a placeholder where it is contradicted by far more', async () =>
    expect(await codesWith(-4)).toEqual(['L01', 'L05']))
})

describe('a turn of nothing but zeros that the trainer contradicts', () => {
  /** How often an element of the turn's tokens or scores is read: a time would tell as much of the machine. */
  const reads = (count: number) => {
    let read = 0
    const counted = <T extends Int32Array | Float32Array>(values: T): T =>
      new Proxy(values, {
        get(_, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) read++
          const value = Reflect.get(values, key)
          return typeof value === 'function' ? value.bind(values) : value
        },
      })
    const scored = {
      tokens: counted(Int32Array.from({ length: count }, (_, at) => at)),
      sampler: counted(new Float32Array(count)),
      trainer: counted(new Float32Array(count).fill(-5)),
      ids: new Int32Array(count),
    }
    expect(placeholdersAmong(scored, DEFAULT_THRESHOLDS).contradicted).toHaveLength(count)
    return read
  }

  it('is looked through once, however long it is', () => {
    // Four times as many were read sixteen times as often where each of them looked at all others.
    expect(reads(4_000)).toBeLessThan(5 * reads(1_000))
  })
})

describe('a later turn of exact zeros that opens with a word of which both were certain in the first', () => {
  const LENGTH = 30
  /** Two turns, the trainer surprised at every sixth token of the second. `others`: of the first turn, which has zeros in every so many tokens. */
  const contradictedIn = (change: (sampler: Float32Array) => void, others = 4) => {
    const tokens = Int32Array.from({ length: 2 * LENGTH }, (_, at) => (at < LENGTH ? at : at + 10))
    const size = 2 * LENGTH + 10
    const isSecond = (token: number) => token >= LENGTH + 10
    const sampler = Float32Array.from({ length: size }, (_, token) =>
      isSecond(token) || token % others === 0 ? 0 : -0.3,
    )
    const trainer = sampler.map((own, token) => (isSecond(token) && (token - LENGTH - 10) % 6 === 0 ? -3 : own))
    change(sampler)
    const { contradicted, leftOut } = placeholdersAmong(
      { tokens, sampler, trainer, ids: new Int32Array(size) },
      DEFAULT_THRESHOLDS,
    )
    return [contradicted.length, leftOut.size]
  }

  it('has placeholders, all of it, where it is zeros from its first token to its last', () => {
    expect(contradictedIn(() => {})).toEqual([5, LENGTH])
  })

  it.each([
    ['where its last token has a logprob', (sampler: Float32Array) => sampler.fill(-0.3, -1), 4],
    ['where most other tokens are exact zeros as well', () => {}, 1],
  ])('may be scored behind another context %s', (_, change, others) => {
    expect(contradictedIn(change, others)).toEqual([0, 0])
  })
})
