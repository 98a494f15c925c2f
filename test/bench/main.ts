import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { loadTokenizer } from '../../shared/session/opening/load-tokenizer.ts'
import { Session } from '../../shared/session/session.ts'
import { byteSpans } from '../../shared/tokens/text.ts'
import { checksAgainstParse } from './checks.ts'
import { benchRecord, generator, writeBenchDump } from './dump.ts'
import { encodeAgainstLibrary } from './encode.ts'
import { memoryBySize } from './memory.ts'
import { inspectAgainstParse, inspectOfMegabyte } from './process.ts'
import { queriesOverRows } from './query.ts'
import { longestSteps } from './steps.ts'
import { interleaved, print } from './timing.ts'

const DUMP_BYTES = 64 << 20
const SPAN_IDS = 10_000_000
const LONG_ROLLOUT = 131_072

/** By the name that runs it alone: `npm run bench -- checks`. */
const MEASURES = {
  audit: auditAgainstParse,
  process: () => inspectAgainstParse(folder),
  megabyte: () => inspectOfMegabyte(folder),
  checks: () => checksAgainstParse(folder),
  spans: idsToSpans,
  open: openLongRollout,
  encode: encodeAgainstLibrary,
  query: () => queriesOverRows(...(process.argv[3] === undefined ? [] : [Number(process.argv[3])])),
}
/** Takes minutes and gigabytes of disk: run where it is named. */
const ON_REQUEST = {
  memory: () => memoryBySize(folder),
  steps: () => longestSteps(folder, ...(process.argv[3] === undefined ? [] : [Number(process.argv[3])])),
  table: tableInABrowser,
  rollout: rolloutInABrowser,
  cold: coldInABrowser,
  first: firstInABrowser,
  browser: wholeInABrowser,
}

const folder = mkdtempSync(join(tmpdir(), 'rollout-bench-'))
try {
  console.log(`Node ${process.version}, ${availableParallelism()} of ${cpus()[0]?.model ?? 'unknown processor'}`)
  const only = process.argv[2]
  const measures = only === undefined ? MEASURES : { ...MEASURES, ...ON_REQUEST }
  for (const [name, measure] of Object.entries(measures)) if (only === undefined || name === only) await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function coldInABrowser(): Promise<void> {
  const { coldStart } = await import('./cold.ts')
  await coldStart()
}

async function rolloutInABrowser(): Promise<void> {
  const { longRolloutOnPage } = await import('./page.ts')
  await longRolloutOnPage(folder)
}

async function firstInABrowser(): Promise<void> {
  const { firstRolloutOnPage } = await import('./first.ts')
  await firstRolloutOnPage(folder)
}

async function wholeInABrowser(): Promise<void> {
  const { pageAgainstNode } = await import('./first.ts')
  await pageAgainstNode(folder)
}

/** The number of rollouts may follow behind the name. */
async function tableInABrowser(): Promise<void> {
  const { tableOfManyRollouts } = await import('./table.ts')
  await tableOfManyRollouts(folder, ...(process.argv[3] === undefined ? [] : [Number(process.argv[3])]))
}

async function auditAgainstParse(): Promise<void> {
  const path = join(folder, 'native.jsonl')
  writeBenchDump(path, DUMP_BYTES)
  const lines = readFileSync(path).toString('latin1').trimEnd().split('\n')
  const audit = (jobs: number) => async () => {
    const source = await NodeFileSource.open(path, 'native.jsonl')
    const session = await Session.open([source], {}, nodeHost(jobs))
    await session.done
    if (session.report().totals.trajectories !== lines.length) throw new Error('the audit lost rollouts')
  }
  let parsed = 0
  const [parse, alone, shared] = await interleaved([
    async () => {
      for (const line of lines) parsed += JSON.parse(line).input_ids.length
    },
    audit(1),
    audit(availableParallelism()),
  ])
  if (parsed === 0) throw new Error('nothing was parsed')
  print(`JSON.parse of ${lines.length} lines, 64 MB`, parse)
  print('audit of the file, one thread', alone, parse)
  print(`audit of the file, ${availableParallelism()} workers`, shared, parse)
}

async function idsToSpans(): Promise<void> {
  const tokenizer = await loadTokenizer({ kind: 'bundled', id: 'qwen2.5' }, nodeHost(1).bundledTokenizers)
  if (tokenizer === null) throw new Error('no tokenizer')
  const random = generator(3)
  const ids = Int32Array.from({ length: SPAN_IDS }, () => Math.floor(random() * 150_000))
  const sums = new Float64Array(SPAN_IDS)
  const [walk, spans] = await interleaved([
    async () => {
      let sum = 0
      for (let i = 0; i < ids.length; i++) sums[i] = sum += ids[i] as number
    },
    async () => void byteSpans(tokenizer.table, ids),
  ])
  print('running sum over 10 million numbers', walk)
  print('10 million ids to exact byte spans', spans, walk)
}

async function openLongRollout(): Promise<void> {
  const path = join(folder, 'long.jsonl')
  const line = benchRecord(0, LONG_ROLLOUT - 300, generator(5))
  writeFileSync(path, `${line}\n`)
  const session = await Session.open([await NodeFileSource.open(path, 'long.jsonl')], {}, nodeHost(1))
  await session.done
  const [parse, open] = await interleaved([
    async () => void JSON.parse(line),
    async () => void (await session.detail(0)),
  ])
  print(`JSON.parse of one rollout of ${session.facts[0]?.length} tokens`, parse)
  print('the same rollout opened: read, segmented, judged, decoded', open, parse)
}
