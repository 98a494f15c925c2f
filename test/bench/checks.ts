import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { packFacts } from '../../shared/checks/kept-facts.ts'
import { forgetLast, TOGETHER } from '../../shared/checks/of-last.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { prepareView, withFacts } from '../../shared/checks/view.ts'
import { parseRecords } from '../../shared/containers/records.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { auditBatch } from '../../shared/session/batch.ts'
import { Collected } from '../../shared/session/collected.ts'
import { conclude, DEFAULT_MAX_FINDINGS, gathered } from '../../shared/session/conclude.ts'
import { loadTokenizer } from '../../shared/session/load-tokenizer.ts'
import { openSource } from '../../shared/session/open-source.ts'
import type { AuditJob, SourcePlan } from '../../shared/session/plan.ts'
import { survey } from '../../shared/session/survey.ts'
import { writeBenchDump } from './dump.ts'
import { writeRolloutDump } from './rollout-dump.ts'
import { interleaved, median, print, processorTime } from './timing.ts'

/** They encode or render texts again, which has its own measure. */
const REENCODING: ReadonlySet<string> = new Set(['T02', 'T10', 'T11', 'T12', 'T13'])
export const CODES_WITHOUT_ENCODING = CHECKS.map(({ code }) => code).filter((code) => !REENCODING.has(code))
const BYTES = 64 << 20
const BATCH_BYTES = 2 << 20

/**
 * What all checks but those cost, as processor time, against `JSON.parse` of the lines and against reading them here (into typed arrays and
 * trajectories). To the checks belong turns, oracles and sums of tokens, which also the table shows, and what defects are told by.
 * Beside them stand the facts of each rollout (what the table, queries and verdicts read, found out whether a check asks or not), and
 * the conclusion without checks (groups, verdicts, the report).
 */
export async function checksAgainstParse(folder: string): Promise<void> {
  const host = nodeHost(1)
  const tokenizer = await loadTokenizer({ kind: 'bundled', id: 'qwen2.5' }, host.bundledTokenizers)
  if (tokenizer === null) throw new Error('no tokenizer')
  const path = (name: string) => join(folder, `${name}.jsonl`)
  writeRolloutDump(path('search'), BYTES, tokenizer)
  await measure('search rollouts with messages, documents, logprobs', path('search'))
  writeBenchDump(path('ids'), BYTES)
  await measure('ids and masks alone', path('ids'))
  for (const sample of ['clean-qwen2.5', 'verifiers-2025-08']) {
    repeatSample(sample, path(sample))
    await measure(`the sample ${sample} over and over`, path(sample))
  }
}

async function measure(what: string, path: string): Promise<void> {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const passes = await passesOver(path, { checks: CODES_WITHOUT_ENCODING })
  const whole = (pass: () => number) => async () => {
    if (pass() !== lines.length) throw new Error('rollouts were lost')
  }
  let parsed = 0
  const [parse, read, prepare, facts, audit, conclude, judge] = await interleaved(
    [
      async () => {
        for (const line of lines) parsed += Object.keys(JSON.parse(line)).length
      },
      whole(passes.read),
      whole(passes.prepare),
      whole(passes.facts),
      whole(passes.audit),
      whole(passes.conclude),
      whole(passes.judge),
    ],
    processorTime,
  )
  if (parsed === 0) throw new Error('nothing was parsed')
  const between = (more: number[] | undefined, less: number[] | undefined) => median(more ?? []) - median(less ?? [])
  const ofFacts = between(facts, prepare)
  const ofJudging = median(judge ?? [])
  const all = between(audit, read) + median(conclude ?? [])
  const parts = {
    'turns and oracles': between(prepare, read),
    'checks of each rollout, sums': between(audit, facts),
    'checks of the whole dump': between(conclude, judge),
    'facts of each rollout': ofFacts,
    'groups, verdicts, report': ofJudging,
  }
  console.log(`${statSync(path).size >> 20} MB of ${what}`)
  print('  JSON.parse of its lines', parse)
  print('  read into trajectories', read, parse)
  const ratios = (cost: number) =>
    `${(cost / median(parse ?? [])).toFixed(2)} × JSON.parse, ${(cost / median(read ?? [])).toFixed(2)} × reading`
  for (const [part, cost] of Object.entries(parts)) print(`  ${part}`, [cost], read)
  console.log(`  ${CODES_WITHOUT_ENCODING.length} checks cost ${ratios(all - ofFacts - ofJudging)} (goal 1.0)`)
  console.log(`  with facts, verdicts and the report ${ratios(all)}`)
}

/** The passes over a file that is in memory, each of which does what the one before it does and more. All give the number of rollouts. */
async function passesOver(path: string, options: AuditOptions) {
  const open = await openSource(await NodeFileSource.open(path, 'bench.jsonl'), 0)
  const found = await survey([open], options, nodeHost(1), [])
  const { plan, tokenizers } = found
  const jobs: AuditJob[] = []
  for await (const spans of open.container.index({ batchBytes: BATCH_BYTES })) {
    jobs.push({ job: jobs.length, source: 0, records: await open.container.read(spans), keep: null })
  }
  const decoded = ({ records }: AuditJob) => {
    if (records.decoder !== 'json') throw new Error('the bench reads lines')
    // As audit workers do, which are done with a batch before they read the next one.
    return parseRecords(records.bytes[0], records.spans, allNumericKeys, true)
  }
  const { format, recognition } = open
  const trajectories = (job: AuditJob) =>
    format.read(decoded(job).records, { source: 0, recognition, metadata: null }).trajectories
  const total = (countOf: (job: AuditJob) => number) => () => jobs.reduce((sum, job) => sum + countOf(job), 0)
  const { settings } = plan.sources[0] as SourcePlan
  const { unsampledLogprob, maskImplied } = format
  const viewed = { tokenizer: tokenizers[0] ?? null, settings, unsampledLogprob, maskImplied }
  let collected = new Collected(1, DEFAULT_MAX_FINDINGS)
  const concluded = (checks: AuditOptions['checks']) => {
    const all = gathered([open], found, collected, [null])
    return conclude({ ...all, options: { ...all.options, checks } }).report.totals.trajectories
  }
  return {
    read: total((job) => trajectories(job).length),
    prepare: total((job) => trajectories(job).filter((each) => prepareView(each, viewed) !== null).length),
    facts: total((job) => {
      const all = trajectories(job)
      const rows: TrajectoryFacts[] = []
      for (let at = 0; at < all.length; at += TOGETHER) {
        const prepared = all.slice(at, at + TOGETHER).flatMap((each) => prepareView(each, viewed) ?? [])
        for (const each of prepared) rows.push(withFacts(each, viewed).facts)
        forgetLast()
      }
      return packFacts(rows).rows
    }),
    audit: () => {
      collected = new Collected(1, DEFAULT_MAX_FINDINGS)
      for (const job of jobs) collected.add(auditBatch(job, decoded(job), { plan, tokenizers: [...tokenizers] }))
      return collected.facts.length
    },
    conclude: () => concluded(options.checks),
    judge: () => concluded([]),
  }
}

/** Writes the rollouts of a sample over and over, as those of ever new groups. */
function repeatSample(sample: string, path: string): void {
  const rollouts = gunzipSync(readFileSync(join('samples', `${sample}.jsonl.gz`)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const lines: string[] = []
  for (let bytes = 0, round = 0; bytes < BYTES; round++) {
    for (const rollout of rollouts) {
      const line = JSON.stringify({
        ...rollout,
        id: `${round}-${rollout.id}`,
        group_id: `${round}-${rollout.group_id}`,
      })
      lines.push(line)
      bytes += Buffer.byteLength(line)
    }
  }
  writeFileSync(path, `${lines.join('\n')}\n`)
}
