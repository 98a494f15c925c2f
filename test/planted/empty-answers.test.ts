import { describe, expect, it } from 'vitest'
import { audit, faultsOf } from './audit.ts'
import { PLAIN_TURN } from './conversation.ts'
import { cleanDump } from './dump.ts'
import type { FamilyName } from './families.ts'
import { type PlantedRollout, turnsBy } from './rollout.ts'
import { native } from './writers/native.ts'

/** Every fourth rollout reads what it searched for, and answers with nothing. */
async function withEmptyAnswers(family: FamilyName, stopsOnString: boolean) {
  let index = 0
  return cleanDump(`empty answers ${family}`, family, {
    groups: 4,
    change: (conversation) => {
      const turns = index++ % 4 === 1 ? [...conversation.turns.slice(0, -1), PLAIN_TURN] : conversation.turns
      return { ...conversation, turns, stopsOnString }
    },
  })
}

function withoutLaterHeaders({ tokens }: PlantedRollout, turns: readonly { start: number; headerEnd: number }[]): void {
  for (const { start, headerEnd } of turns.toReversed()) tokens.splice(start, headerEnd - start)
}

const codes = async (dump: Awaited<ReturnType<typeof withEmptyAnswers>>) => [
  ...new Set(faultsOf(await audit(dump, native)).flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]))),
]

describe.each(['llama3', 'qwen3', 'qwen2.5'] as const)('an empty last answer, %s', (family) => {
  it('is no lost evidence where the headers after the first are missing', async () => {
    const dump = await withEmptyAnswers(family, false)
    for (const rollout of dump.rollouts) withoutLaterHeaders(rollout, turnsBy(rollout, 'assistant').slice(1))
    expect(await codes(dump)).toEqual(['T05'])
  })

  it('is nothing by itself, whatever ends it', async () => {
    expect(await codes(await withEmptyAnswers(family, false))).toEqual([])
    expect(await codes(await withEmptyAnswers(family, true))).toEqual([])
  })
})
