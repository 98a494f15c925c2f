import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditSettings, TrajectoryView } from '../../shared/checks/check.ts'
import { plainTurns } from '../../shared/checks/oracles/plain-turns.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { createTally, TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { createView } from '../../shared/checks/view.ts'
import { Expected } from '../../shared/model/tokens.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import type { CheckFixture } from '../fixtures/checks/fixture.ts'
import { assistant, conversation, system, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, settings } from './audit.ts'

// What checks say of plain turns at once, against what they say turn by turn.

const ASKING = ['M01', 'M03', 'M05', 'M08', 'M10', 'M11', 'T05', 'T06', 'T16', 'T18']
const checks = CHECKS.filter(({ code }) => ASKING.includes(code))

const byFamily = new Map(
  await Promise.all(FAMILIES.map(async (family) => [family, await testTokenizer(family)] as const)),
)

/** All that the checks say, with the order in which they count. */
function said(view: TrajectoryView, under: AuditSettings): string {
  const all = checks.map((check) => {
    const tally = createTally()
    const reporter = new TrajectoryReporter(check, view, under, tally)
    check.trajectory?.(view, under, reporter)
    return [check.code, tally, reporter.finish().findings]
  })
  return JSON.stringify(all, (_, value) => (typeof value === 'bigint' ? String(value) : value), 1)
}

/** Whether the turns are plain; said both ways it must be the same. */
function saidBothWays(view: TrajectoryView, under: AuditSettings): boolean {
  if (view.mask === null) return false
  // Another copy of the same is not seen to be the same.
  const turnByTurn = { ...view, expectedRl: view.expectedRl?.slice() ?? null }
  expect(plainTurns(turnByTurn)).toBeNull()
  expect(said(view, under)).toBe(said(turnByTurn, under))
  return plainTurns(view) !== null
}

/** The view of a trajectory that is trained as it is expected to be. */
function soundView(trajectory: Trajectory, tokenizer: Tokenizer, under: AuditSettings): TrajectoryView | null {
  const options = { tokenizer, settings: under, unsampledLogprob: null }
  const { expectedRl } = createView(trajectory, options) as TrajectoryView
  if (expectedRl === null) return null
  const mask = expectedRl.map((value) => (value === Expected.trained ? 1 : 0))
  return createView({ ...trajectory, mask }, options)
}

/** A turn with a reply in it: its end token is the model's where the dump says so, and the reply a place of its own. */
const SPLICED = '<search>who</search><information>Ines Valdoro.</information>It was she.'

const modules = import.meta.glob<CheckFixture>('../fixtures/checks/[A-Z][0-9][0-9].ts', {
  eager: true,
  import: 'default',
})

describe('plain turns are told of as they are one by one', () => {
  it('in every fixture, with what it tells of who wrote its tokens and without', async () => {
    let [plain, told, others] = [0, 0, 0]
    for (const { trips, nearMiss } of Object.values(modules)) {
      for (const dump of [trips, nearMiss]) {
        const { views, settings: under } = await auditDump(dump)
        const tokenizer = byFamily.get(dump.family) ?? (await testTokenizer(dump.family))
        for (const view of views) {
          const { trajectory } = view
          const logprobs = { ...trajectory.logprobs, sampler: null, trainer: null }
          const bare: Trajectory = { ...trajectory, sampled: null, logprobs, messages: null }
          const options = { tokenizer, settings: under, unsampledLogprob: null }
          const sound = soundView(trajectory, tokenizer, under)
          for (const each of [view, sound, createView(bare, options), soundView(bare, tokenizer, under)]) {
            if (each === null) continue
            if (!saidBothWays(each, under)) others++
            else if (each.provenance !== null) told++
            else plain++
          }
        }
      }
    }
    expect(plain).toBeGreaterThan(500)
    expect(told).toBeGreaterThan(200)
    expect(others).toBeGreaterThan(300)
  })

  it.each(FAMILIES)('in rows of which some tokens are others (%s)', async (family) => {
    const tokenizer = byFamily.get(family) as Tokenizer
    const frame = tokenizer.frame!
    const control = [frame.turnStart, ...frame.turnEnds, ...frame.pad, ...frame.bos, ...frame.newlines.keys()]
    const words = tokenizer.encode('assistant user tool <think> </think> <tool_response> <|im_end|> {"name": "x"}')
    const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...control, ...words)), { maxLength: 2 })
    const exchange = fc.record({
      said: fc.constantFrom('Look.', '<think>\nHm.\n</think>\n\nI look.', SPLICED, ' ', ''),
      reply: fc.constantFrom('1894.', 'It is old.\n\nVery.', ''),
    })
    const rows = fc.record({
      exchanges: fc.array(exchange, { maxLength: 3 }),
      answered: fc.constantFrom(true, true, true, false),
      padLeft: fc.nat(2),
      padRight: fc.nat(2),
      changes,
      cut: fc.constantFrom(0, 0, 0, 0, 1, 2, 5),
      told: fc.constantFrom('not', 'flags', 'logprobs'),
      unsampled: fc.array(fc.nat(), { maxLength: 1 }),
    })
    let [plain, plainAndTold] = [0, 0]
    fc.assert(
      fc.property(rows, ({ exchanges, answered, padLeft, padRight, changes, cut, told, unsampled }) => {
        const turns = exchanges.flatMap(({ said, reply }) => [assistant(said), tool(reply)])
        const all = [system('Be brief.'), user('Go.'), ...turns, ...(answered ? [assistant('It is 1894.')] : [])]
        const row = conversation(tokenizer, all, { padLeft, padRight })
        const ids = row.record.input_ids.slice(0, cut > 0 ? -cut : undefined)
        for (const [at, id] of changes) ids[at % ids.length] = id
        const record = { ...row.record, input_ids: ids, loss_mask: ids.map(() => 0) }
        const under = settings()
        const flags = Uint8Array.from(row.sampled.slice(0, ids.length))
        for (const at of unsampled) flags[at % flags.length] = 0
        const sampler =
          told === 'logprobs' ? Float32Array.from(flags, (flag) => (flag === 1 ? -0.5 : Number.NaN)) : null
        const trajectory = {
          ...trajectoryOf({ ...row, record }),
          messages: null,
          sampled: told === 'flags' ? flags : null,
          logprobs: { sampler, trainer: null, reference: null },
        }
        const view = soundView(trajectory, tokenizer, under)
        if (view === null || !saidBothWays(view, under)) return
        if (view.provenance === null) plain++
        else plainAndTold++
      }),
      { numRuns: 600 },
    )
    expect(plain).toBeGreaterThan(10)
    expect(plainAndTold).toBeGreaterThan(10)
  })
})
