import { readFileSync } from 'node:fs'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { TOGETHER } from '../../shared/checks/of-last.ts'
import { parseInPortions } from '../../shared/containers/records.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import { type AuditStage, auditBatch } from '../../shared/session/audit/batch.ts'
import { Collected } from '../../shared/session/audit/collected.ts'
import type { AuditJob } from '../../shared/session/audit/plan.ts'
import { conclude, DEFAULT_MAX_FINDINGS, gathered } from '../../shared/session/concluding/conclude.ts'
import { openSource } from '../../shared/session/opening/open-source.ts'
import { survey } from '../../shared/session/opening/survey.ts'
import { CODES_WITHOUT_ENCODING } from './codes.ts'
import { processorTime } from './timing.ts'

const BATCH_BYTES = 2 << 20

/** Processor time of one pass over a dump in milliseconds, by what it went to: `adding` puts the batches' results together. */
export type PassTimes = Record<AuditStage | 'adding' | 'concluding', number>

export interface PassesRequest {
  readonly path: string
  /** Without them nothing is said of a rollout; turns, oracles, facts and sums are found out all the same. */
  readonly checks: boolean
  readonly passes: number
  /** How often the lines are parsed by `JSON.parse` afterwards. */
  readonly parses: number
}

export interface PassesAnswer {
  readonly passes: readonly PassTimes[]
  readonly parses: readonly number[]
}

/**
 * Audits the file in this thread, over and over. One pass takes its own laps, some thousand of them, so that the heap, the collector and whatever
 * else runs on the machine meet all its stages alike; passes that do more or less than each other leave other garbage for the next one.
 */
export async function auditPasses({ path, checks, passes, parses }: PassesRequest): Promise<PassesAnswer> {
  const open = await openSource(await NodeFileSource.open(path, 'bench.jsonl'), 0)
  const found = await survey([open], { checks: checks ? CODES_WITHOUT_ENCODING : [] }, nodeHost(1), [])
  const jobs: AuditJob[] = []
  for await (const spans of open.container.index({ batchBytes: BATCH_BYTES })) {
    jobs.push({ job: jobs.length, source: 0, records: await open.container.read(spans), keep: null })
  }
  const decoded = ({ records }: AuditJob) => {
    if (records.decoder !== 'json') throw new Error('the bench reads lines')
    // As audit workers do, which are done with a batch before they read the next one.
    return parseInPortions(records.bytes[0], records.spans, allNumericKeys, TOGETHER)
  }
  const pass = (): PassTimes => {
    const times: PassTimes = { reading: 0, turns: 0, facts: 0, checks: 0, sums: 0, adding: 0, concluding: 0 }
    const price = priceOfLap()
    let last = process.cpuUsage()
    const done = (stage: keyof PassTimes) => {
      const { user, system } = process.cpuUsage(last)
      times[stage] += (user + system) / 1000 - price
      last = { user: last.user + user, system: last.system + system }
    }
    const runtime = { plan: found.plan, tokenizers: [...found.tokenizers], done }
    const collected = new Collected(1, DEFAULT_MAX_FINDINGS)
    for (const job of jobs) {
      // As a pass does: findings beyond those that are listed are counted alone.
      const counts = collected.keepsFindings ? {} : ({ countsFindings: true } as const)
      const result = auditBatch({ ...job, ...counts }, decoded(job), runtime)
      done('facts')
      collected.add(result)
      done('adding')
    }
    const { totals } = conclude(gathered([open], found, collected, [null])).report
    done('concluding')
    if (totals.trajectories !== rollouts) throw new Error('rollouts were lost')
    return times
  }
  const rollouts = jobs.reduce((sum, { records }) => sum + records.spans.lengths.length, 0)
  const taken = Array.from({ length: passes }, pass)
  return { passes: taken, parses: await parsesOf(path, parses) }
}

/** What asking for the time takes by itself, in milliseconds: in a sandbox some forty microseconds, a tenth of what a pass over ids and masks goes to. */
function priceOfLap(): number {
  const asked = 200
  const before = process.cpuUsage()
  for (let i = 0; i < asked; i++) process.cpuUsage(before)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / asked
}

async function parsesOf(path: string, parses: number): Promise<number[]> {
  const lines = parses === 0 ? [] : readFileSync(path, 'utf8').trimEnd().split('\n')
  const times: number[] = []
  let parsed = 0
  for (let parse = 0; parse < parses; parse++) {
    const time = await processorTime(async () => {
      for (const line of lines) parsed += Object.keys(JSON.parse(line)).length
    })
    times.push(time)
  }
  if (parses > 0 && parsed === 0) throw new Error('nothing was parsed')
  return times
}
