import { describe, expect, it } from 'vitest'
import { audit, faultsOf, summary, verdictOf } from '../planted/audit.ts'
import { cleanDump, type PlantedDump } from '../planted/dump.ts'
import { type PlantedRollout, turnsBy } from '../planted/rollout.ts'
import { primeRlExport } from '../planted/writers/prime-rl-export.ts'

async function h02(name: string, change: (rollouts: readonly PlantedRollout[]) => PlantedRollout[]) {
  const dump = await cleanDump(`branch rows, ${name}`, 'qwen2.5', { groups: 2 })
  const changed: PlantedDump = { ...dump, rollouts: change(dump.rollouts) }
  const audited = await audit(changed, primeRlExport)
  const faults = faultsOf(audited).filter(({ severity }) => severity !== 'info')
  return { verdict: verdictOf(audited, 'H02'), faults: summary(faults) }
}

/** The row of a branch: the ids through one turn of the model, of which that turn alone is trained. */
function branch(rollout: PlantedRollout, ordinal: number): PlantedRollout {
  const turn = turnsBy(rollout, 'assistant')[ordinal - 1]!
  const tokens = rollout.tokens.slice(0, turn.end).map((token, at) => ({
    ...token,
    trained: token.trained && at >= turn.contentStart,
  }))
  return { ...rollout, id: `${rollout.id}-${ordinal}`, tokens }
}

const branches = (rollout: PlantedRollout) =>
  turnsBy(rollout, 'assistant').map(({ ordinal }) => branch(rollout, ordinal))

describe('H02 of a prime-rl export, whose rows may be branches of one rollout', () => {
  it('is not contradicted where no row trains the earlier turns', async () => {
    const last = await h02('the last turn alone', (rollouts) => rollouts.flatMap((each) => branches(each).slice(-1)))
    expect(last.verdict).toBe('inconclusive')
  })

  it('is contradicted where the rows of other branches train them', async () => {
    expect(await h02('all of them', (rollouts) => rollouts.flatMap(branches))).toEqual({
      verdict: 'contradicted',
      faults: [],
    })
  })
})
