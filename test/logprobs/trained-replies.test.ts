import { describe, expect, it } from 'vitest'
import { type AuditedDump, audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import type { PlantedRollout, PlantedToken } from '../planted/rollout.ts'
import { VARIANTS } from '../planted/variants.ts'
import { nemoRl } from '../planted/writers/nemo-rl.ts'

const TAGGED = VARIANTS.find(({ name }) => name === 'tagged replies inside one assistant turn')!.plan

const codes = (audited: AuditedDump) => [
  ...new Set(faultsOf(audited).flatMap(({ code, severity }) => (severity === 'error' ? [code] : []))),
]

/** What was spliced into the turns of the model, the empty lines around it as well: nobody sampled it, and the trainer scores it as text of others. */
const isSpliced = ({ part, sampled }: PlantedToken) => part === 'content' && !sampled

const withReplies = (change: (rollout: PlantedRollout) => void) =>
  cleanDump('replies in tags', 'qwen2.5', { ...TAGGED, finish: change })

/** These tokens are trained, with a 0.0 in place of a logprob. */
function train(tokens: readonly PlantedToken[]): void {
  for (const [at, token] of tokens.entries())
    Object.assign(token, { trained: true, sampler: Number.NaN, trainer: -1.5 - (at % 3) })
}

const splicedIn = ({ tokens, kinds }: PlantedRollout) =>
  tokens.filter((token) => isSpliced(token) && kinds[token.turn] === 'assistant')

describe('a reply inside a turn of the model, where a 0.0 stands on what nobody sampled', () => {
  it('is M01 where it is trained, and the empty lines around it are no placeholders', async () => {
    const dump = await withReplies((rollout) => train(splicedIn(rollout)))
    expect(codes(await audit(dump, nemoRl))).toEqual(['M01'])
  })

  it('hides no placeholder elsewhere in its turn', async () => {
    const dump = await withReplies((rollout) => {
      train(splicedIn(rollout))
      const own = rollout.tokens.filter(({ part, sampled }) => part === 'content' && sampled)
      train(own.slice(4, 7))
    })
    expect(codes(await audit(dump, nemoRl))).toEqual(['L05', 'M01'])
  })

  it('is nothing where it is masked', async () => {
    expect(codes(await audit(await withReplies(() => {}), nemoRl))).toEqual([])
  })
})
