import { spawn } from 'node:child_process'
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { ExportSink } from '../../shared/exports/export-kind.ts'
import { ParquetFile } from '../../shared/exports/parquet-file.ts'
import { Session } from '../../shared/session/session.ts'
import { generator, groupedRecord } from './dump.ts'

const MB = 1_000_000
const MAIN = resolve('dist/cli/main.js')
/** Tokens of a long rollout, of search over many turns, and of a short one, where there are more rollouts for the same bytes. */
const KINDS = { long: 20_000, short: 1_000 } as const

/** Runs in the process that is measured and tells the most memory that it ever held, workers included. */
const TELLING = `import{isMainThread}from'node:worker_threads';import{writeSync}from'node:fs';
if(isMainThread)process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))`

/**
 * Peak memory of `inspect`, as a whole process, on dumps of 200 MB and of 2 GB, and on Parquet; and when the first rollout was there. The
 * files are made on the spot and removed.
 */
export async function memoryBySize(folder: string): Promise<void> {
  for (const [kind, tokens] of Object.entries(KINDS)) {
    const peaks: number[] = []
    for (const megabytes of [200, 2000]) {
      const path = join(folder, `${kind}-${megabytes}.jsonl`)
      const rollouts = writeLines(path, megabytes * MB, tokens)
      const title = `JSONL, ${kind} rollouts (${tokens} tokens, ${rollouts} of them), ${megabytes} MB`
      peaks.push(await measured(title, path))
      if (kind === 'long') await firstRollout(path)
      rmSync(path)
    }
    const [small = Number.NaN, large = Number.NaN] = peaks
    console.log(`${''.padEnd(4)}2 GB holds ${(large / small).toFixed(2)} × the memory of 200 MB`)
  }
  const path = join(folder, 'rollouts.parquet')
  const rollouts = await writeParquet(path, 500 * MB)
  const size = Math.round(statSync(path).size / MB)
  await measured(`Parquet (${KINDS.long} tokens, ${rollouts} rollouts), ${size} MB`, path)
  await firstRollout(path)
  rmSync(path)
}

/** Peak memory in MB. */
async function measured(title: string, path: string): Promise<number> {
  const telling = `data:text/javascript,${encodeURIComponent(TELLING)}`
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', telling, MAIN, 'inspect', path, '--fail-on', 'none'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  let said = ''
  child.stdio[3]?.on('data', (text) => {
    said += text
  })
  const code = await new Promise((done) => child.on('close', done))
  if (code !== 0) throw new Error(`inspect ended with ${code}`)
  const peak = (Number(said) * 1024) / MB
  const seconds = (performance.now() - start) / 1000
  console.log(`${title.padEnd(74)} ${peak.toFixed(0).padStart(6)} MB ${seconds.toFixed(1).padStart(7)} s`)
  return peak
}

/** How long until the first rollout is there, and what was read by then. */
async function firstRollout(path: string): Promise<void> {
  const source = await NodeFileSource.open(path, 'dump')
  const stop = new AbortController()
  const start = performance.now()
  let read = 0
  const first = new Promise<number>((resolve) => {
    void Session.open([source], {}, nodeHost(undefined), {
      signal: stop.signal,
      onProgress({ trajectories, bytesRead }) {
        if (trajectories === 0) return
        read = bytesRead
        resolve(performance.now() - start)
      },
    })
  })
  const milliseconds = await first
  stop.abort()
  const share = ((100 * read) / source.size).toFixed(1)
  console.log(`    the first rollout after ${milliseconds.toFixed(0)} ms, when ${share} % of the file was read`)
}

/** Streams native records to a file, which never stands in memory. Returns their number. */
function writeLines(path: string, bytes: number, tokens: number): number {
  const random = generator(tokens)
  const file = openSync(path, 'w')
  let index = 0
  for (let written = 0; written < bytes; index++) {
    written += writeSync(file, `${groupedRecord(index, tokens, random)}\n`)
  }
  closeSync(file)
  return index
}

const LISTS = ['input_ids', 'loss_mask'] as const
const SCHEMA: SchemaElement[] = [
  { name: 'schema', num_children: LISTS.length + 2 },
  { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  { name: 'reward', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ...LISTS.flatMap((name): SchemaElement[] => [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
  ]),
]
const ROWS_OF_GROUP = 128

/** The same in Parquet, in row groups of `ROWS_OF_GROUP`. */
async function writeParquet(path: string, bytes: number): Promise<number> {
  const random = generator(11)
  const descriptor = openSync(path, 'w')
  let written = 0
  const sink: ExportSink = {
    open: async () => ({
      async write(part) {
        written += writeSync(descriptor, part)
      },
      close: async () => closeSync(descriptor),
    }),
  }
  const file = await ParquetFile.open(sink, 'rollouts.parquet', SCHEMA)
  let index = 0
  while (written < bytes) {
    const rows = Array.from({ length: ROWS_OF_GROUP }, () => JSON.parse(groupedRecord(index++, KINDS.long, random)))
    await file.parquet.write({
      columnData: SCHEMA.filter(({ name }) => name === 'id' || name === 'reward' || LISTS.includes(name as never)).map(
        ({ name }) => ({ name, data: rows.map((row) => row[name]), encoding: 'PLAIN', codec: 'UNCOMPRESSED' }),
      ),
      rowGroupSize: ROWS_OF_GROUP,
    })
    await file.flush()
  }
  await file.close()
  return index
}
