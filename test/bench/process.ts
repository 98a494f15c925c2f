import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { CODES_WITHOUT_ENCODING } from './codes.ts'
import { writeBenchDump } from './dump.ts'
import { median } from './timing.ts'

/** Of the first, starting Node, reading three vocabularies and compiling are a part of the time and not most of it; the second tells what the rest costs. */
const SIZES = [256 << 20, 1 << 30]
const REPEATS = 3

const MAIN = resolve('dist/cli/main.js')
/** Runs in the process that is measured and tells its processor time, all threads included, in microseconds. */
const TELLING = `import{isMainThread}from'node:worker_threads';import{writeSync}from'node:fs';
if(isMainThread)process.on('exit',()=>{const{user,system}=process.cpuUsage();writeSync(3,String(user+system))})`

/** Milliseconds on the clock, and of processor time over all threads. */
export interface Spent {
  readonly wall: number
  readonly processor: number
}

/**
 * `inspect` of ids and masks as a person runs it, from the start of the process to its end, with all checks that encode nothing again.
 * Against bare `JSON.parse` of the same lines, which were read and split before. Where others work on the machine the clock tells nothing: that is
 * what the processor time is for, of which two cores have twice as much as there is wall time.
 */
export async function inspectAgainstParse(folder: string): Promise<void> {
  const jobs = availableParallelism()
  const before: Record<'parse' | 'shared', number>[] = []
  for (const bytes of SIZES) {
    const path = join(folder, 'process.jsonl')
    writeBenchDump(path, bytes)
    const lines = linesOf(path)
    parse(lines)
    const spent: Record<'parse' | 'alone' | 'shared', Spent[]> = { parse: [], alone: [], shared: [] }
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      spent.parse.push(parse(lines))
      spent.alone.push(await inspected(path, join(folder, 'report.json'), 1, lines.length))
      spent.shared.push(await inspected(path, join(folder, 'report.json'), jobs, lines.length))
    }
    console.log(`the machine's load was ${loadavg()[0]?.toFixed(1)}, with ${jobs} cores`)
    spentAgainst(`JSON.parse of ${lines.length} lines, ${bytes >> 20} MB`, spent.parse)
    spentAgainst('inspect of the file, whole process, one thread', spent.alone, spent.parse)
    spentAgainst(
      `inspect of the file, whole process, ${jobs} threads (goal 1.0 × on the clock)`,
      spent.shared,
      spent.parse,
    )
    const processor = (of: readonly Spent[]) => median(of.map((each) => each.processor))
    before.push({ parse: processor(spent.parse), shared: processor(spent.shared) })
  }
  // What starting takes, and compiling what is run often, is nearly the same for both sizes.
  const [less, more] = before as [Record<'parse' | 'shared', number>, Record<'parse' | 'shared', number>]
  const added = more.shared - less.shared
  const against = (added / (more.parse - less.parse)).toFixed(2)
  console.log(
    `what is more of the second takes ${added.toFixed(0)} ms of processor time, ${against} × what parsing it does`,
  )
}

/** A gigabyte is more than one text can hold. */
function linesOf(path: string): string[] {
  const bytes = readFileSync(path)
  const lines: string[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    lines.push(bytes.toString('latin1', start, end))
    start = end + 1
  }
  return lines
}

/** A line with the medians and, where there is something to hold them against, their ratios. */
export function spentAgainst(what: string, spent: readonly Spent[], against?: readonly Spent[]): void {
  const column = (unit: keyof Spent) => {
    const own = median(spent.map((each) => each[unit]))
    const ratio = against === undefined ? '' : `${(own / median(against.map((each) => each[unit]))).toFixed(2)} ×`
    return `${own.toFixed(0).padStart(7)} ms ${ratio.padStart(6)}`
  }
  console.log(`${what.padEnd(72)} clock ${column('wall')}   processor ${column('processor')}`)
}

function parse(lines: readonly string[]): Spent {
  const before = process.cpuUsage()
  const start = performance.now()
  let parsed = 0
  for (const line of lines) parsed += JSON.parse(line).input_ids.length
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  if (parsed === 0) throw new Error('nothing was parsed')
  return { wall, processor: (user + system) / 1000 }
}

/** A megabyte, as a person tries the command with: from the start of the process to its end. */
export async function inspectOfMegabyte(folder: string): Promise<void> {
  const path = join(folder, 'megabyte.jsonl')
  writeBenchDump(path, 1 << 20)
  const spent: Record<'node' | 'version' | 'some' | 'all', Spent[]> = { node: [], version: [], some: [], all: [] }
  for (let repeat = 0; repeat < 5; repeat++) {
    spent.node.push(await measured(['--eval', '0'], []))
    spent.version.push(await measured(['--version']))
    spent.some.push(await measured(['inspect', path, '--fail-on', 'none', '--checks', CODES_WITHOUT_ENCODING.join()]))
    spent.all.push(await measured(['inspect', path, '--fail-on', 'none']))
  }
  console.log(`the machine's load was ${loadavg()[0]?.toFixed(1)}`)
  spentAgainst('Node alone', spent.node)
  spentAgainst('rollout-inspector --version', spent.version)
  spentAgainst('inspect of 1 MB, the checks that encode nothing', spent.some)
  spentAgainst('inspect of 1 MB, all checks (goal: below 1 s)', spent.all)
}

async function inspected(path: string, report: string, jobs: number, rollouts: number): Promise<Spent> {
  const options = ['--json', report, '--jobs', String(jobs), '--checks', CODES_WITHOUT_ENCODING.join()]
  const spent = await measured(['inspect', path, ...options])
  const { totals } = JSON.parse(readFileSync(report, 'utf8')) as { totals: { trajectories: number } }
  if (totals.trajectories !== rollouts) throw new Error('inspect lost rollouts')
  return spent
}

/** Runs the built command line (or another program), from the start of the process to its end. */
export async function measured(parameters: readonly string[], program: readonly string[] = [MAIN]): Promise<Spent> {
  const telling = `data:text/javascript,${encodeURIComponent(TELLING)}`
  const start = performance.now()
  const child: ChildProcess = spawn(process.execPath, ['--import', telling, ...program, ...parameters], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  let said = ''
  child.stdio[3]?.on('data', (text) => {
    said += text
  })
  await new Promise((done) => child.on('close', done))
  return { wall: performance.now() - start, processor: Number(said) / 1000 }
}
