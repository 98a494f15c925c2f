import { describe, expect, it } from 'vitest'
import { type AuditedDump, audit } from '../planted/audit.ts'
import { cleanDump, copyOf, type PlantedDump } from '../planted/dump.ts'
import { assistant } from '../planted/plants/mask.ts'
import { type PlantedRollout, turnsBy } from '../planted/rollout.ts'
import { native, nativeLean } from '../planted/writers/native.ts'

const SHARE = 'share of the loss weight on tokens that the model did not write'

function judged({ report }: AuditedDump, code: string) {
  const { verdict, because } = report.hypotheses.find(({ id }) => id === 'H02')!
  const line = because.find(({ measure }) => measure === SHARE)
  const { pattern, affected_weight } = report.checks.find((check) => check.code === code)!
  return { verdict, share: (line?.value ?? null) as number | null, speaks: line?.speaks, pattern, affected_weight }
}

const prefilled = await cleanDump('prefills', 'qwen3', {
  groups: 3,
  change: (conversation) => ({ ...conversation, prefill: '<think>\n' }),
})
const plain = await cleanDump('appended ends', 'qwen3', { groups: 4 })

function changed(dump: PlantedDump, change: (rollout: PlantedRollout, index: number) => void): PlantedDump {
  const copy = { ...dump, rollouts: dump.rollouts.map(copyOf) }
  for (const [index, rollout] of copy.rollouts.entries()) change(rollout, index)
  return copy
}

/** As a framework does that puts the prompt's tag into the first turn alone, and trains all that comes behind. */
function trainLaterTags(rollout: PlantedRollout): void {
  for (const { headerEnd, contentStart } of turnsBy(rollout, 'assistant').slice(1)) {
    for (const token of rollout.tokens.slice(headerEnd, contentStart)) token.trained = true
  }
}

/** The sampler has 0 for the last end tokens, and the trainer denies them. */
function appendEnds(rollout: PlantedRollout, count: number): void {
  const ends = assistant(rollout).flatMap(({ endToken }) => (endToken < 0 ? [] : [endToken]))
  for (const end of ends.slice(-count)) Object.assign(rollout.tokens[end]!, { sampler: 0, trainer: -3, reference: -3 })
}

describe('tokens that a check knows not to be the model’s, and the turns do not', () => {
  it('are no share where they are masked', async () => {
    expect(judged(await audit(prefilled, nativeLean), 'M09')).toMatchObject({ verdict: 'contradicted', share: 0 })
  })

  it('count where they are a prefill that is trained (M09)', async () => {
    const fault = judged(await audit(changed(prefilled, trainLaterTags), nativeLean), 'M09')
    expect(fault).toMatchObject({ pattern: 'systematic', verdict: 'supported', speaks: 'for' })
    expect(fault.share).toBeGreaterThan(0.01)
    expect(fault.share).toBe(fault.affected_weight)
  })

  it('count beside others in rows whose masks are wrong elsewhere too', async () => {
    const one = changed(prefilled, trainLaterTags)
    const both = changed(one, (rollout) => {
      for (const { end } of turnsBy(rollout, 'assistant')) rollout.tokens[end - 1]!.trained = true
    })
    const [tags, all] = [judged(await audit(one, nativeLean), 'M09'), judged(await audit(both, nativeLean), 'M09')]
    expect(all.share).toBeGreaterThan(tags.share as number)
  })

  it('do not where the run means to train them', async () => {
    const meant = await audit(changed(prefilled, trainLaterTags), nativeLean, { intend: ['M09'] })
    expect(judged(meant, 'M09')).toMatchObject({ verdict: 'contradicted', share: 0 })
  })

  it.each([1, 2])('count where %i end tokens of each rollout were appended (M14)', async (count) => {
    const fault = judged(
      await audit(
        changed(plain, (rollout) => appendEnds(rollout, count)),
        native,
      ),
      'M14',
    )
    expect(fault).toMatchObject({ pattern: 'systematic' })
    expect(fault.verdict).not.toBe('contradicted')
    expect(fault.share).toBeGreaterThan(0.001)
    expect(fault.share).toBeCloseTo(fault.affected_weight as number, 12)
  })

  it.each([1, 2])('do not where the run means to train %i of its ends', async (count) => {
    const appended = changed(plain, (rollout) => appendEnds(rollout, count))
    const meant = await audit(appended, native, { intend: ['M14'] })
    expect(judged(meant, 'M14')).toMatchObject({ verdict: 'contradicted', share: 0 })
  })

  it('are too few to matter in one rollout of many', async () => {
    const one = await audit(
      changed(plain, (rollout, index) => index === 7 && appendEnds(rollout, 1)),
      native,
    )
    const fault = judged(one, 'M14')
    expect(fault).toMatchObject({ pattern: 'sporadic', verdict: 'contradicted' })
    expect(fault.share).toBeGreaterThan(0)
  })
})
