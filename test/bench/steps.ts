import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { TOGETHER } from '../../shared/checks/of-last.ts'
import { parseInPortions } from '../../shared/containers/records.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import type { Steps } from '../../shared/model/steps.ts'
import { RolloutColumns } from '../../shared/query/columns.ts'
import { dumpValues } from '../../shared/query/dump-values.ts'
import { auditBatch } from '../../shared/session/audit/batch.ts'
import { Collected } from '../../shared/session/audit/collected.ts'
import {
  type Conclusion,
  concluding,
  DEFAULT_MAX_FINDINGS,
  gathered,
} from '../../shared/session/concluding/conclude.ts'
import { gatheringGroups } from '../../shared/session/groups/groups.ts'
import { openSource } from '../../shared/session/opening/open-source.ts'
import { survey } from '../../shared/session/opening/survey.ts'
import { dumpOf } from '../helpers/facts.ts'
import { CODES_WITHOUT_ENCODING } from './codes.ts'
import { generator } from './dump.ts'
import { millisecondsOfThread } from './timing.ts'

const ROLLOUTS = 300_000
const BATCH_BYTES = 2 << 20
const LINES_AT_ONCE = 10_000
/** Milliseconds above which others wait too long for their turn. */
const LONG = 50
const LISTED = 8

/**
 * The longest steps, by how long the thread ran, in which a dump of very many small rollouts is judged, a second run of as many beside it: while one runs,
 * nothing that a person asks is answered.
 */
export async function longestSteps(folder: string, rollouts = ROLLOUTS): Promise<void> {
  const first = await collected(folder, rollouts, 1)
  const alone = timed('judged', concluding(first))
  timed('judged again', concluding(first))
  timed('groups', gatheringGroups(originOf(alone)))
  const columns = new RolloutColumns({
    facts: first.collected.facts,
    codeLists: () => ({ lists: [[]], at: new Int32Array(rollouts) }),
    worstRanks: () => new Uint8Array(rollouts),
    beginLater: () => new Set<never>(),
    openEnds: () => new Set<never>(),
    refutedStops: () => new Set<never>(),
    limits: () => dumpOf([]),
    sourceName: () => 'rollouts.jsonl',
  })
  columns.at(1)
  timed('values for completion', dumpValues(columns, []))
  const second = await collected(folder, rollouts, 2)
  timed(
    'judged beside a second run',
    concluding({ ...first, against: timed('the second run', concluding(second)).run }),
  )
}

function timed<Result>(what: string, work: Steps<Result>): Result {
  const steps: { readonly time: number; readonly share: number }[] = []
  for (let share = 0; ; ) {
    const before = millisecondsOfThread()
    const { done, value } = work.next()
    steps.push({ time: millisecondsOfThread() - before, share })
    if (done) {
      const all = steps.reduce((sum, { time }) => sum + time, 0)
      const longest = steps.toSorted((a, b) => b.time - a.time).slice(0, LISTED)
      const long = steps.filter(({ time }) => time > LONG).length
      console.log(`${what}: ${all.toFixed(0)} ms, ${long} of ${steps.length} steps above ${LONG} ms; the longest`)
      console.log(
        `  ${longest.map(({ time, share: at }) => `${time.toFixed(0)} ms at ${(100 * at).toFixed(1)} %`).join(', ')}`,
      )
      return value
    }
    share = value
  }
}

function originOf({ run, dumpFindings }: Conclusion) {
  const none = () => {
    throw new Error('nothing of a group is read again here')
  }
  return { dump: run.dump, findingsOfDump: dumpFindings, rows: none, load: none }
}

async function collected(folder: string, rollouts: number, seed: number) {
  const path = join(folder, `steps-${seed}.jsonl`)
  writeDump(path, rollouts, seed)
  const open = await openSource(await NodeFileSource.open(path, 'rollouts.jsonl'), 0)
  const found = await survey([open], { checks: CODES_WITHOUT_ENCODING }, nodeHost(1), [])
  const runtime = { plan: found.plan, tokenizers: [...found.tokenizers] }
  const all = new Collected(1, DEFAULT_MAX_FINDINGS)
  let job = 0
  for await (const spans of open.container.index({ batchBytes: BATCH_BYTES })) {
    const records = await open.container.read(spans)
    if (records.decoder !== 'json') throw new Error('the bench reads lines')
    const decoded = parseInPortions(records.bytes[0], records.spans, allNumericKeys, TOGETHER)
    all.add(auditBatch({ job: job++, source: 0, records, keep: null }, decoded, runtime))
  }
  if (all.facts.length !== rollouts) throw new Error('rollouts were lost')
  return gathered([open], found, all, [null])
}

/** Groups of eight, each fifth of them dead, each fortieth with copies; with logprobs of both sides and advantages, of several steps. */
function writeDump(path: string, rollouts: number, seed: number): void {
  const random = generator(seed)
  const file = openSync(path, 'w')
  let lines: string[] = []
  for (let index = 0; index < rollouts; index++) {
    const group = index >> 3
    const prompt = 300 + (group % 90_000)
    const word = () => (group % 40 === 0 ? 400 : 300 + Math.floor(random() * 90_000))
    const reward = group % 5 === 0 ? 0 : Math.round(random() * 100) / 100
    const logprob = () => -Math.round(random() * 1000) / 1000
    const sampler = [logprob(), logprob(), logprob()]
    const trainer = sampler.map((each) => each + Math.round(random() * 10) / 1000)
    const zeros = '0,0,0,0,0,0,0,0,0'
    lines.push(
      `{"id":"r${index}","input_ids":[151644,872,198,${prompt},151645,198,151644,77091,198,${word()},${word()},151645,198],"loss_mask":[${zeros},1,1,1,0],"logprobs":{"sampler":[${zeros},${sampler},0],"trainer":[${zeros},${trainer},0]},"reward":${reward},"advantage":${group % 5 === 0 ? 0 : Math.round((random() - 0.5) * 1000) / 1000},"group_id":"q${group}","step":${Math.floor(index / 3000)}}`,
    )
    if (lines.length === LINES_AT_ONCE || index === rollouts - 1) {
      writeSync(file, `${lines.join('\n')}\n`)
      lines = []
    }
  }
  closeSync(file)
}
