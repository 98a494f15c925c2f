import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { allNumericKeys } from '../../shared/formats/registry.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { auditBatch } from '../../shared/session/batch.ts'
import { Collected } from '../../shared/session/collected.ts'
import { conclude, DEFAULT_MAX_FINDINGS, gathered } from '../../shared/session/conclude.ts'
import { loadTokenizer } from '../../shared/session/load-tokenizer.ts'
import { openSource } from '../../shared/session/open-source.ts'
import type { AuditJob } from '../../shared/session/plan.ts'
import { survey } from '../../shared/session/survey.ts'
import { writeBenchDump } from './dump.ts'
import { writeRolloutDump } from './rollout-dump.ts'
import { interleaved, median, print, processorTime } from './timing.ts'

/** They encode or render texts again, which has its own measure. */
const REENCODING: ReadonlySet<string> = new Set(['T02', 'T10', 'T11', 'T12', 'T13'])
export const CODES_WITHOUT_ENCODING = CHECKS.map(({ code }) => code).filter((code) => !REENCODING.has(code))
const BYTES = 64 << 20
const SAMPLE_BYTES = 32 << 20
const BATCH_BYTES = 2 << 20

/**
 * What all checks but those cost, with everything they rest on: turns, oracles, facts, the checks of rollouts, groups and the
 * whole dump, verdicts. As processor time, against `JSON.parse` of the lines, and against reading them here (into typed arrays and trajectories).
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
  const { read, audit } = await passesOver(path, { checks: CODES_WITHOUT_ENCODING })
  let parsed = 0
  const [parse, reading, whole] = await interleaved(
    [
      async () => {
        for (const line of lines) parsed += Object.keys(JSON.parse(line)).length
      },
      async () => {
        if (read() !== lines.length) throw new Error('rollouts were lost')
      },
      async () => {
        if (audit() !== lines.length) throw new Error('the audit lost rollouts')
      },
    ],
    processorTime,
  )
  if (parsed === 0) throw new Error('nothing was parsed')
  const cost = median(whole ?? []) - median(reading ?? [])
  console.log(`${statSync(path).size >> 20} MB of ${what}`)
  print('  JSON.parse of its lines', parse)
  print('  read into trajectories', reading, parse)
  print(`  read and put to ${CODES_WITHOUT_ENCODING.length} checks`, whole, parse)
  console.log(
    `  all checks that encode nothing again cost ${(cost / median(parse ?? [])).toFixed(2)} × JSON.parse, ` +
      `${(cost / median(reading ?? [])).toFixed(2)} × reading (goal 1.0)`,
  )
}

/** The two halves of a pass over a file that is in memory, each giving the number of rollouts. */
async function passesOver(path: string, options: AuditOptions) {
  const open = await openSource(await NodeFileSource.open(path, 'bench.jsonl'), 0)
  const found = await survey([open], options, nodeHost(1), [])
  const { plan, tokenizers } = found
  const jobs: AuditJob[] = []
  for await (const spans of open.container.index({ batchBytes: BATCH_BYTES })) {
    jobs.push({ job: jobs.length, source: 0, records: await open.container.read(spans), keep: null })
  }
  const decoded = ({ records }: AuditJob) => {
    if (records.decoder === 'elsewhere') throw new Error('the bench reads its records itself')
    const parsed = decodeRecords(records, allNumericKeys)
    if (parsed instanceof Promise) throw new Error('JSON is decoded at once')
    return parsed
  }
  return {
    read: () => {
      const { recognition } = open
      const rollouts = (job: AuditJob) =>
        open.format.read(decoded(job).records, { source: 0, recognition, metadata: null }).trajectories.length
      return jobs.reduce((sum, job) => sum + rollouts(job), 0)
    },
    audit: () => {
      const collected = new Collected(1, DEFAULT_MAX_FINDINGS)
      for (const job of jobs) collected.add(auditBatch(job, decoded(job), { plan, tokenizers: [...tokenizers] }))
      return conclude(gathered([open], found, collected, [null])).report.totals.trajectories
    },
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
  for (let bytes = 0, round = 0; bytes < SAMPLE_BYTES; round++) {
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
