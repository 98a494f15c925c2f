import { describe, expect, it } from 'vitest'
import { type AuditedDump, audit, faultsOf } from '../planted/audit.ts'
import { cleanDump, type PlantedDump } from '../planted/dump.ts'
import { type PlantedRollout, turnsBy } from '../planted/rollout.ts'
import { nativeLean } from '../planted/writers/native.ts'
import { tinkerDatum } from '../planted/writers/rows.ts'
import { slimeRollout } from '../planted/writers/slime.ts'

const codes = (audited: AuditedDump) => [
  ...new Set(faultsOf(audited).flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]))),
]
const resultOf = ({ report }: AuditedDump) => report.checks.find(({ code }) => code === 'M09')

/** Trains the tags of some turns, which nobody sampled; `score` is what the dump has for their logprobs. */
function trainTags(rollout: PlantedRollout, isOf: (turn: number) => boolean, score = Number.NaN): void {
  for (const [index, { headerEnd, contentStart }] of turnsBy(rollout, 'assistant').entries()) {
    if (!isOf(index)) continue
    for (const token of rollout.tokens.slice(headerEnd, contentStart)) {
      token.trained = true
      token.sampler = score
    }
  }
}

/** Turns whose generation prompt ends with an open tag, which the mask leaves out unless `change` trains it. */
const withTags = (change: (rollout: PlantedRollout, index: number) => void) => {
  let index = 0
  return cleanDump('tags of the template', 'qwen3', {
    groups: 3,
    change: (conversation) => ({ ...conversation, prefill: '<think>\n' }),
    finish: (rollout) => change(rollout, index++),
  })
}

describe.each([
  ['tinker-datum', tinkerDatum],
  ['the native format without logprobs', nativeLean],
  ['slime', slimeRollout],
] as const)('an open thought of the template, without the trainer’s word, in %s', (_, writer) => {
  it('is M09 in later turns where the mask leaves it out in the first', async () => {
    const audited = await audit(await withTags((rollout) => trainTags(rollout, (turn) => turn > 0)), writer)
    expect(codes(audited)).toEqual(['M09'])
    expect(resultOf(audited)).toMatchObject({ pattern: 'systematic', by_turn: { '1': 0 } })
  })

  it('passes where it is masked in every turn', async () => {
    const audited = await audit(await withTags(() => {}), writer)
    expect(codes(audited)).toEqual([])
    expect(resultOf(audited)).toMatchObject({ status: 'pass' })
  })
})

describe('an open thought that some rollouts train and others leave out', () => {
  it('is M09 in those that train it, and counted in all', async () => {
    const some = await withTags((rollout, index) => {
      if (index % 8 === 5) trainTags(rollout, () => true)
    })
    const audited = await audit(some, tinkerDatum)
    expect(codes(audited)).toEqual(['M09'])
    expect(resultOf(audited)).toMatchObject({ pattern: 'sporadic', affected: 3, checked: 24 })
  })

  it('is nothing where so few leave it out that these masks may begin late', async () => {
    const most = await withTags((rollout, index) => {
      if (index % 8 !== 5) trainTags(rollout, () => true)
    })
    expect(codes(await audit(most, nativeLean))).toEqual([])
  })

  it('is nothing where a logprob of some rollout says that the model opens its thoughts itself', async () => {
    const own = await withTags((rollout, index) => trainTags(rollout, (turn) => turn > 0, index === 4 ? -0.002 : 0))
    expect(codes(await audit(own, tinkerDatum))).toEqual([])
  })
})

describe('an open thought that one environment trains and another leaves out', () => {
  /** Two groups of one environment, whose masks leave the tags out, and one of another. */
  const ofTwo = (change: (rollout: PlantedRollout, index: number) => void, names: readonly [string, string]) =>
    withTags((rollout, index) => {
      const isSecond = index >= 16
      rollout.more.env_name = names[isSecond ? 1 : 0]
      if (isSecond) change(rollout, index)
    })

  const named = {
    ...nativeLean,
    write: (dump: PlantedDump) => {
      const { text, ...more } = nativeLean.write(dump)
      const rows = text.trimEnd().split('\n')
      const named = rows.map((row, i) => ({ ...JSON.parse(row), env_name: dump.rollouts[i]!.more.env_name }))
      return { ...more, text: named.map((row) => `${JSON.stringify(row)}\n`).join('') }
    },
  }

  it('is nothing where nothing but the mask speaks of that of the other', async () => {
    const own = await ofTwo((rollout) => trainTags(rollout, () => true), ['search', 'math'])
    expect(codes(await audit(own, named))).toEqual([])
  })

  it('is asked of no rows without a mask', async () => {
    const maskless = {
      ...named,
      write: (dump: PlantedDump) => {
        const { text, ...more } = named.write(dump)
        const rows = text.trimEnd().split('\n')
        const bare = rows.map((row) => ({ ...JSON.parse(row), labels: undefined }))
        return { ...more, text: bare.map((row) => `${JSON.stringify(row)}\n`).join('') }
      },
    }
    const own = await ofTwo((rollout) => trainTags(rollout, () => true), ['search', 'math'])
    expect(codes(await audit(own, maskless))).toEqual([])
  })

  it('is M09 where both have one name, or where some rows of its own leave it out', async () => {
    const alike = await ofTwo((rollout) => trainTags(rollout, () => true), ['search', 'search'])
    expect(codes(await audit(alike, named))).toEqual(['M09'])
    const some = await ofTwo((rollout, index) => index % 4 === 1 && trainTags(rollout, () => true), ['search', 'math'])
    expect(codes(await audit(some, named))).toEqual(['M09'])
  })
})

describe('a thought that the model opens itself', () => {
  it('is nothing where all of it is trained, with or without logprobs', async () => {
    const own = await cleanDump('thoughts of its own', 'qwen3', { groups: 2 })
    for (const writer of [tinkerDatum, nativeLean, slimeRollout]) expect(codes(await audit(own, writer))).toEqual([])
  })

  it('is nothing where one turn is left out as a whole', async () => {
    const own = await cleanDump('thoughts of its own, a turn aside', 'qwen3', {
      groups: 2,
      finish: (rollout) => {
        const [first] = turnsBy(rollout, 'assistant')
        for (const token of rollout.tokens.slice(first?.headerEnd, first?.end)) token.trained = false
      },
    })
    expect(codes(await audit(own, nativeLean))).not.toContain('M09')
  })
})
