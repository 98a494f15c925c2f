import { describe, expect, it } from 'vitest'
import type { CheckResult } from '../../shared/model/report.ts'
import { type AuditedDump, audit, faultsOf, summary, verdictOf } from './audit.ts'
import { cleanDump } from './dump.ts'
import { damage } from './judge.ts'
import type { Pattern, Plant, PlantContext } from './plant.ts'
import { type PlantedRollout, turnsBy } from './rollout.ts'
import { again, randomFor } from './seed.ts'
import { type FormatName, writerOf } from './writers/registry.ts'

/** Masks turns of the model, counted as `slice` counts; null where none would be, or the last. */
function without(rollout: PlantedRollout, from: number, to: number) {
  const turns = turnsBy(rollout, 'assistant')
  const out = turns.slice(from, to)
  if (out.length === 0 || out.at(-1) === turns.at(-1)) return null
  return out.map(({ contentStart, endToken, end }) => {
    const span = { start: contentStart, end: endToken >= 0 ? endToken + 1 : end }
    for (let at = span.start; at < span.end; at++) rollout.tokens[at]!.trained = false
    return span
  })
}

interface Case {
  readonly name: string
  readonly format: FormatName
  readonly pattern: Pattern | null
  readonly rollout: NonNullable<Plant['rollout']>
  readonly status: CheckResult['status']
  readonly reason: string | null
  readonly H02: readonly string[]
}

const cases: Case[] = [
  {
    name: 'all turns before the last, in two rollouts of a file whose others train them',
    format: 'atropos',
    pattern: 'sporadic',
    rollout: (rollout) => without(rollout, 0, -1),
    status: 'not-checkable',
    reason: '2 of 64 rollouts mask the turns before the first that they train',
    H02: ['inconclusive'],
  },
  {
    name: 'all turns before the last, in every rollout',
    format: 'atropos',
    pattern: 'systematic',
    rollout: (rollout) => without(rollout, 0, -1),
    status: 'pass',
    reason: null,
    H02: ['contradicted', 'not-checkable'],
  },
  {
    name: 'the second turn, in two rollouts that train the first',
    format: 'atropos',
    pattern: 'sporadic',
    rollout: (rollout) => without(rollout, 1, 2),
    status: 'fail',
    reason: null,
    H02: ['inconclusive'],
  },
  {
    name: 'no turn',
    format: 'atropos',
    pattern: null,
    rollout: () => null,
    status: 'pass',
    reason: null,
    H02: ['contradicted', 'not-checkable'],
  },
  {
    name: 'all turns before the last, in two rollouts, and no other row trains them',
    format: 'prime-rl-export',
    pattern: 'sporadic',
    rollout: (rollout) => without(rollout, 0, -1),
    status: 'not-checkable',
    reason: '2 of 64 rollouts mask replies that the model wrote and that no other row trains',
    H02: ['inconclusive'],
  },
  {
    name: 'no turn',
    format: 'prime-rl-export',
    pattern: null,
    rollout: () => null,
    status: 'pass',
    reason: null,
    H02: ['contradicted', 'not-checkable'],
  },
]

describe('turns that a mask leaves out where the format has a reason to', () => {
  it.each(cases)('$format: $name', async ({ name, format, pattern, rollout, status, reason, H02 }) => {
    const dump = await cleanDump(`left out ${name} ${format}`, 'qwen3', { groups: 8 })
    const random = randomFor('left out', name, format)
    const plant: Plant = { code: 'M03', title: name, needs: ['mask'], rollout }
    const context = { family: dump.family, format, pattern: pattern ?? 'sporadic', random } satisfies PlantContext
    const damaged = pattern === null ? null : damage(dump, plant, context)
    // Nothing is declared: the format's own policy is in force.
    const audited = await audit(damaged?.dump ?? dump, writerOf(format), { policy: undefined })
    const check = audited.report.checks.find(({ code }) => code === 'M03')
    expect(check?.status, again(name, 0)).toBe(status)
    if (reason !== null) expect(check?.reason, again(name, 0)).toContain(reason)
    expect(H02, again(name, 0)).toContain(verdictOf(audited, 'H02'))
    expectNamed(audited, damaged !== null && status === 'fail' ? [...damaged.planted!.keys()] : [])
  })
})

function expectNamed(audited: AuditedDump, planted: readonly number[]): void {
  const faults = faultsOf(audited)
  const places = planted.map((index) => audited.written.places[index])
  expect(summary(faults.filter(({ code }) => code !== 'M03'))).toEqual([])
  expect(faults.map(({ record, part }) => `${record}.${part}`).sort()).toEqual(places.sort())
}
