import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, type RecordOptions, type TurnSpec } from '../helpers/conversation.ts'
import { audited, lines, qwen, turnsOf } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

/** A call as a row of its own: the turns before it as context, and its answer, which is trained. */
function callRow(turns: readonly TurnSpec[], more: Readonly<Record<string, unknown>>) {
  const options: RecordOptions = {
    more,
    editMask: (mask, layout) => {
      const last = layout.findLastIndex(({ role }) => role === 'assistant')
      mask.fill(0, 0, layout[last]!.contentStart)
    },
  }
  return conversation(tokenizer, [...turns], options)
}

/** The two calls of a rollout. */
function callsOf(seed: number, names: (branch: number) => Readonly<Record<string, unknown>>, repeated?: TurnSpec) {
  const turns = turnsOf(tokenizer, seed)
  const later = turns.map((turn, at) => (at === 2 && repeated ? repeated : turn))
  return [callRow(turns.slice(0, 3), names(0)), callRow(later, names(1))]
}

const judged = async (rows: ReturnType<typeof callsOf>) => {
  const report = (await audited(lines(rows))).report()
  const { status, affected, checked } = report.checks.find(({ code }) => code === 'M03')!
  const H02 = report.hypotheses.find(({ id }) => id === 'H02')!.verdict
  return { status, affected, checked, H02, suggested: report.policy.suggested }
}

const SEEDS = [1, 2, 3, 4]
const named = (seed: number) => (branch: number) => ({ rollout_id: `r${seed}`, branch })

describe('calls that are rows of one rollout, where nothing tells who wrote the turns before them', () => {
  it.each<[string, (() => TurnSpec) | undefined]>([
    ['the ids that were sampled', undefined],
    ['the turn without its thought', () => assistant('I asked.')],
  ])('leave out no turn that another row trains, be it repeated with %s', async (_, repeated) => {
    const rows = SEEDS.flatMap((seed) => callsOf(seed, named(seed), repeated?.()))
    expect(await judged(rows)).toMatchObject({ affected: 0, H02: 'contradicted', suggested: null })
  })

  it('may have left out one that no row trains', async () => {
    const rows = SEEDS.flatMap((seed) => callsOf(seed, named(seed)).slice(seed === 3 ? 1 : 0))
    expect(await judged(rows)).toMatchObject({ status: 'not-checkable', affected: 0, H02: 'inconclusive' })
  })

  it('are whole rollouts where nothing names the others, and leave out their first turn', async () => {
    const rows = SEEDS.flatMap((seed) => callsOf(seed, () => ({})))
    expect(await judged(rows)).toMatchObject({ affected: 4, H02: 'supported', suggested: 'last-turn' })
  })

  it('have no call before the first', async () => {
    const whole = SEEDS.map((seed) => callRow(turnsOf(tokenizer, seed), { rollout_id: `r${seed}`, branch: 0 }))
    expect(await judged(whole)).toMatchObject({ affected: 4, H02: 'supported', suggested: 'last-turn' })
  })
})
