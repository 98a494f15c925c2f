import { describe, expect, it } from 'vitest'
import { type AuditedDump, audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { type PlantedRollout, turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'
import { nemoRl } from '../planted/writers/nemo-rl.ts'
import { primeRlExport } from '../planted/writers/prime-rl-export.ts'

const WRITERS = [
  ['nemo-rl', nemoRl],
  ['prime-rl-export', primeRlExport],
] as const

const codes = (audited: AuditedDump) => [
  ...new Set(faultsOf(audited).flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]))),
]

async function withOpenThought(change: (rollout: PlantedRollout) => void) {
  return cleanDump('open thoughts', 'qwen3', {
    groups: 2,
    padding: 'right',
    change: (conversation) => ({ ...conversation, prefill: '<think>\n' }),
    finish: change,
  })
}

/** Nobody sampled the tag: where the format has 0.0 the trainer finds it as likely as anything. */
function trainPrefill(rollout: PlantedRollout, trainer: number): void {
  for (const { headerEnd, contentStart } of turnsBy(rollout, 'assistant')) {
    for (const token of rollout.tokens.slice(headerEnd, contentStart)) {
      token.trained = true
      token.sampler = Number.NaN
      token.trainer = trainer
    }
  }
}

describe.each(WRITERS)('an open thought that the prompt of a turn ends with, in %s', (_, writer) => {
  it('is M09 where it is trained, and not a placeholder that stands for the logprob of a sampled token', async () => {
    const dump = await withOpenThought((rollout) => trainPrefill(rollout, -3.5))
    expect(codes(await audit(dump, writer))).toEqual(['M09'])
  })

  /** The first word behind the tag of each turn has a logprob of the sampler, and this one of the trainer. */
  const behindTag = (rollout: PlantedRollout, sampler: number, trainer: number): void => {
    for (const { contentStart } of turnsBy(rollout, 'assistant'))
      Object.assign(rollout.tokens[contentStart]!, { sampler, trainer })
  }

  it.each([
    -0.3, 0,
  ])('was sampled where the trainer denies the word behind it as well, that has %d', async (sampler) => {
    const dump = await withOpenThought((rollout) => {
      trainPrefill(rollout, -0.9)
      behindTag(rollout, sampler, sampler - 0.4)
    })
    expect(codes(await audit(dump, writer))).toEqual([])
  })

  it('is M09 where the word behind it differs by what engines do', async () => {
    const dump = await withOpenThought((rollout) => {
      trainPrefill(rollout, -0.9)
      behindTag(rollout, -1.2, -1.35)
    })
    expect(codes(await audit(dump, writer))).toEqual(['M09'])
  })

  it('is nothing where it is masked, or may as well have been sampled', async () => {
    expect(codes(await audit(await withOpenThought(() => {}), writer))).toEqual([])
    const likely = await withOpenThought((rollout) => trainPrefill(rollout, -0.0004))
    expect(codes(await audit(likely, writer))).toEqual([])
  })
})

describe('a think tag that the dump says was sampled, with a logprob of 0.0 that the trainer contradicts', () => {
  /** The model opens its thought by itself. */
  const withFiller = (more: (rollout: PlantedRollout) => Record<string, unknown>) =>
    cleanDump('thoughts with fillers', 'qwen3', {
      groups: 2,
      finish: (rollout) => {
        for (const { contentStart } of turnsBy(rollout, 'assistant')) {
          for (const token of rollout.tokens.slice(contentStart, contentStart + 2)) {
            token.sampler = 0
            token.trainer = -3.5
          }
        }
        Object.assign(rollout.more, more(rollout))
      },
    })

  it.each([
    ['by logprobs that only sampled tokens have', () => ({})],
    ['by flags', ({ tokens }: PlantedRollout) => ({ sampled: tokens.map(({ sampled }) => (sampled ? 1 : 0)) })],
  ])('is a placeholder (L05), and no prefill, where it says so %s', async (_, more) => {
    expect(codes(await audit(await withFiller(more), native))).toEqual(['L05'])
  })

  it('is neither where flags say that nobody sampled it: then it is a prefill (M09)', async () => {
    const flags = ({ tokens }: PlantedRollout) => {
      const sampled = tokens.map((token) => (token.sampled && !(token.sampler === 0 && token.trainer === -3.5) ? 1 : 0))
      return { sampled }
    }
    expect(codes(await audit(await withFiller(flags), native))).toEqual(['M09'])
  })
})
