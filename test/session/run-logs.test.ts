import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { REPORT_FORMATS } from '../../shared/exports/report-formats.ts'
import type { HypothesisId } from '../../shared/model/report.ts'
import { readParts } from '../../shared/session/merge/part.ts'
import { mergeParts } from '../../shared/session/merge/run.ts'
import { Session } from '../../shared/session/session.ts'

const bytesOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url))
const log = (name: string) => new MemorySource(name, bytesOf(`fixtures/run-logs/${name}`))
const rollouts = (record: object) => new MemorySource('dump.jsonl', Buffer.from(`${JSON.stringify(record)}\n`))
const TURNS = { input_ids: [1, 2, 3], loss_mask: [0, 1, 1] }

async function opened(...sources: MemorySource[]) {
  const session = await Session.open(sources, {}, nodeHost(1))
  await session.done
  return session
}

function verdict(session: Session, id: HypothesisId) {
  return session.report().hypotheses.find((each) => each.id === id)!
}

/** A log in which one metric goes through the values. */
function logged(metric: string, values: readonly number[]) {
  const lines = values.map((value, step) => JSON.stringify({ step, [metric]: value, loss: 0.1 }))
  return new MemorySource('metrics.jsonl', Buffer.from(lines.join('\n')))
}

describe('a log alone', () => {
  test('opens as a run without rollouts, compressed too', async () => {
    for (const source of [
      log('verl.log'),
      new MemorySource('verl.log', gzipSync(bytesOf('fixtures/run-logs/verl.log'))),
    ]) {
      const session = await opened(source)
      const { logs, sources, totals } = session.report()
      expect(session.unreadable).toEqual([])
      expect(sources).toEqual([])
      expect(totals.trajectories).toBe(0)
      expect(logs).toMatchObject([{ kind: 'console', name: 'verl.log' }])
      expect(logs?.[0]?.series.map(({ metric }) => metric)).toContain('reward')
      expect(logs?.[0]?.notes).toEqual([])
    }
  })

  test('no file that is none becomes one', async () => {
    const session = await opened(new MemorySource('notes.txt', Buffer.from('Training went on.\nIt did not learn.\n')))
    expect(session.report().logs).toBeUndefined()
    expect(session.unreadable).toMatchObject([{ code: 'not-json' }])
  })
})

describe('beside rollouts', () => {
  test('it is no source of the dump, and is named in every report', async () => {
    const session = await opened(log('trl.log'), rollouts(TURNS), log('events.out.tfevents.1767225600.host.1.0'))
    const report = session.report()
    expect(report.sources.map(({ name }) => name)).toEqual(['dump.jsonl'])
    expect(report.logs?.map(({ name }) => name)).toEqual(['trl.log', 'events.out.tfevents.1767225600.host.1.0'])
    for (const id of ['markdown', 'html'] as const) {
      const text = REPORT_FORMATS.find((format) => format.id === id)!.write(report, {
        failOn: 'error',
        known: new Set(),
      })
      expect(text, id).toContain('trl.log')
      expect(text, id).toMatch(/reward 0\.61 → 0\.6 over 6 steps/)
    }
  })

  test('the log with the most steps speaks, whatever stands first', async () => {
    const long = logged('kl', new Array<number>(20).fill(0.5))
    const [measure] = verdict(await opened(logged('kl', [3, 3]), long, rollouts(TURNS)), 'H03').because
    expect(measure).toMatchObject({ value: 0.5 })
  })
})

describe('verdicts', () => {
  test.each([
    ['H03', 'kl', [20, 30, 40], 'supported'],
    ['H03', 'kl', [0.1, 0.2, 0.3], 'inconclusive'],
    ['H05', 'frac_reward_zero_std', [0.6, 0.7, 0.8], 'supported'],
    ['H05', 'frac_reward_zero_std', [0.1, 0.2, 0.1], 'inconclusive'],
    ['H01', 'grad_norm', [1, 2, 3], 'not-checkable'],
    ['H06-lora', 'mismatch_kl/mean', [0.1, 0.2, 0.3], 'not-checkable'],
  ] as const)('%s with %s of %j', async (id, metric, values, expected) => {
    const found = verdict(await opened(logged(metric, values)), id)
    expect(found.verdict).toBe(expected)
    expect(found.because.some(({ measure }) => measure.includes(`${metric} in metrics.jsonl`))).toBe(true)
    expect(found.missing.length).toBeGreaterThan(0)
    expect(found.would_change.join()).not.toContain('Infinity')
  })

  test('H06-library: the single-turn run of which only a log is there', async () => {
    const flat = new Array<number>(30).fill(0).map((_, i) => 0.6 + (i % 3) / 100)
    const rising = flat.map((_, i) => 0.3 + i / 50)
    const steps = flat.map((reward, step) => ({
      ...TURNS,
      step,
      reward,
      input_ids: [151644, 77091, 198, 40, 151645, 198, 151644, 77091, 198, 40, 151645],
      loss_mask: [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1],
    }))
    const multi = new MemorySource('multi.jsonl', Buffer.from(steps.map((row) => JSON.stringify(row)).join('\n')))
    const session = await opened(multi)
    for (const [rewards, expected] of [
      [rising, 'contradicted'],
      [flat, 'supported'],
      [flat.map((reward) => reward + 0.37), 'inconclusive'],
      // A reward of more than 1 may be one of ten.
      [flat.map((reward) => reward + 2), 'supported'],
    ] as const) {
      session.compareWith((await opened(logged('reward', rewards))).secondRun())
      const found = verdict(session, 'H06-library')
      expect(found.verdict).toBe(expected)
      expect(found.because.map(({ value }) => value)).toContain('taken to be the one of which only a log was given')
    }
  })
})

test('reports of parts keep their logs', async () => {
  const one = await opened(rollouts(TURNS), log('trl.log'))
  const two = await opened(
    new MemorySource('other.jsonl', Buffer.from(JSON.stringify({ ...TURNS, input_ids: [4, 5, 6] }))),
  )
  const given = [one, two].map((session, i) => ({ name: `${i}.json`, text: JSON.stringify(session.mergeableReport()) }))
  const { report } = mergeParts(readParts(given))
  expect(report.logs).toEqual(one.report().logs)
})
