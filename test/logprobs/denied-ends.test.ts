import { describe, expect, it } from 'vitest'
import { Random } from '../../samples/random.ts'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump, copyOf, type PlantedDump } from '../planted/dump.ts'
import { assistant } from '../planted/plants/mask.ts'
import type { PlantedRollout } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

const clean = await cleanDump('denied ends', 'qwen3', { groups: 4 })

/** Rollouts in which M14 speaks, of a dump that was changed rollout by rollout. */
async function named(change: (rollout: PlantedRollout, index: number) => void) {
  const dump: PlantedDump = { ...clean, rollouts: clean.rollouts.map(copyOf) }
  for (const [index, rollout] of dump.rollouts.entries()) change(rollout, index)
  const faults = faultsOf(await audit(dump, native)).filter(({ code }) => code === 'M14')
  return [...new Set(faults.map(({ record }) => record))]
}

const endsOf = (rollout: PlantedRollout) =>
  assistant(rollout).flatMap(({ endToken }) => (endToken < 0 ? [] : [endToken]))

/** The sampler has 0 for one end token of the rollout, counted from the last, and the trainer `trainer`. */
function denied(rollout: PlantedRollout, trainer = -3, fromLast = 1): void {
  const token = rollout.tokens[endsOf(rollout).at(-fromLast) ?? -1]
  if (token !== undefined) Object.assign(token, { sampler: 0, trainer, reference: trainer })
}

/** An expert that is routed otherwise puts one word of most rollouts, no exact zero, as far off. */
function routed({ tokens }: PlantedRollout, random: Random): void {
  if (!random.chance(0.6)) return
  const words = tokens.filter(({ sampled, sampler }) => sampled && sampler < -0.05)
  const word = words[random.integer(0, words.length - 1)]
  if (word !== undefined) word.trainer = word.sampler - 1.5 - 2 * random.next()
}

describe('an end token with a 0 of the sampler that the trainer denies', () => {
  it.each([1, 2, 3])('is noise where words of other rollouts are as far off (%i)', async (seed) => {
    const random = new Random(`routed ${seed}`)
    expect(
      await named((rollout, index) => {
        if (index === 7) denied(rollout)
        else routed(rollout, random)
      }),
    ).toEqual([])
  })

  it('was appended where no other rollout has such a gap', async () => {
    expect(await named((rollout, index) => index === 7 && denied(rollout))).toEqual([7])
  })

  it('was appended among noise where many rollouts have one', async () => {
    const random = new Random('many')
    const every = await named((rollout, index) => {
      if (index % 4 === 0) denied(rollout)
      else routed(rollout, random)
    })
    expect(every).toEqual(clean.rollouts.flatMap((_, index) => (index % 4 === 0 ? [index] : [])))
  })

  it('was appended among noise where the rollout has two', async () => {
    const random = new Random('two')
    const at = clean.rollouts.findIndex((rollout) => endsOf(rollout).length > 1)
    const two = await named((rollout, index) => {
      if (index !== at) return routed(rollout, random)
      denied(rollout, -3, 1)
      denied(rollout, -3, 2)
    })
    expect(two).toEqual([at])
  })
})
