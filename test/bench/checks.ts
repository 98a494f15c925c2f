import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { nodeHost } from '../../cli/host.ts'
import { packageRoot } from '../../cli/package-root.ts'
import { loadTokenizer } from '../../shared/session/opening/load-tokenizer.ts'
import type { PassesAnswer, PassesRequest, PassTimes } from './audit-passes.ts'
import { CODES_WITHOUT_ENCODING } from './codes.ts'
import { writeBenchDump } from './dump.ts'
import { writeRolloutDump } from './rollout-dump.ts'
import { median } from './timing.ts'

const BYTES = 64 << 20
/** What the engine compiles, and when, differs from process to process and with it all ratios by a tenth. */
const PROCESSES = 7
const PROCESSES_WITHOUT = 4
/** Times still fall for so many passes. */
const WARMING = 4
const SETTLED = 3
const PARSES = 5
/** Those that the build runs the command line on for what V8 compiles then (`scripts/setup.mjs`). */
const WARMING_SAMPLES = ['verifiers-2025-07', 'clean-qwen2.5']

/**
 * What all checks but those that encode or render again cost, as processor time of one thread's work and the engine's helpers, against reading the
 * dump into trajectories and against `JSON.parse` of its lines: how much less `inspect` would take of it if no check ran, if nobody needed turns and
 * oracles, and if no tokens were summed up. The facts of each rollout (what the table, queries and verdicts read) are found out whether a check asks or
 * not, and stand apart, as do the verdicts and the report of a dump of which no check said anything.
 *
 * Twice: of the first pass of a process, as `inspect` makes it, when most code runs for the first time and is optimized; and once nothing is
 * compiled any more, which is what each further megabyte costs. As `inspect` has, it has code that was compiled to bytecode when it was built. What the
 * engine's helpers do, optimizing first of all, counts where it happens, whoever caused it: it is spread over all stages nearly as their own time is.
 */
export async function checksAgainstParse(folder: string): Promise<void> {
  const only = process.argv[3]
  const path = (name: string) => join(folder, `${name}.jsonl`)
  const dumps: Record<string, { readonly what: string; readonly write: (path: string) => Promise<void> | void }> = {
    search: { what: 'search rollouts with messages, documents, logprobs', write: writeSearch },
    ids: { what: 'ids and masks alone', write: (to) => writeBenchDump(to, BYTES) },
    clean: { what: 'short rollouts, clean', write: (to) => repeatSample('clean-qwen2.5', to) },
    faulty: { what: 'short rollouts, nine findings each', write: (to) => repeatSample('verifiers-2025-08', to) },
  }
  const compiled = join(folder, 'compiled')
  inProcess(['--keep', compiled, ...WARMING_SAMPLES.map((sample) => unpacked(sample, path(sample)))])
  for (const [name, { what, write }] of Object.entries(dumps)) {
    if (only !== undefined && only !== name) continue
    await write(path(name))
    measure(what, path(name), compiled)
  }
}

async function writeSearch(path: string): Promise<void> {
  const tokenizer = await loadTokenizer({ kind: 'bundled', id: 'qwen2.5' }, nodeHost(1).bundledTokenizers)
  if (tokenizer === null) throw new Error('no tokenizer')
  writeRolloutDump(path, BYTES, tokenizer)
}

function measure(what: string, path: string, compiled: string): void {
  const passes = 1 + WARMING + SETTLED
  const run = (checks: boolean, parses: number) => {
    const request: PassesRequest = { path, checks, passes, parses }
    return JSON.parse(inProcess([compiled, JSON.stringify(request)])) as PassesAnswer
  }
  const withChecks: PassesAnswer[] = []
  const without: PassesAnswer[] = []
  for (let process = 0; process < PROCESSES; process++) {
    withChecks.push(run(true, 0))
    if (process < PROCESSES_WITHOUT) without.push(run(false, process === 0 ? PARSES : 0))
  }
  console.log(`${statSync(path).size >> 20} MB of ${what}; the machine's load is ${loadavg()[0]?.toFixed(1)}`)
  const parse = median(without[0]?.parses ?? [])
  console.log(`  JSON.parse of its lines ${parse.toFixed(0)} ms`)
  const of = (answers: readonly PassesAnswer[], from: number, to: number) =>
    answers.map((answer) => answer.passes.slice(from, to))
  printCosts('the first pass', of(withChecks, 0, 1), of(without, 0, 1), parse)
  printCosts('settled', of(withChecks, 1 + WARMING, passes), of(without, 1 + WARMING, passes), parse)
}

/** Passes by process, with checks and without. */
function printCosts(when: string, withChecks: PassTimes[][], without: PassTimes[][], parse: number): void {
  const all = withChecks.flat()
  const none = without.flat()
  const time = (stage: keyof PassTimes, passes = all) => median(passes.map((pass) => pass[stage]))
  const reading = time('reading')
  const after = (pass: PassTimes) => pass.adding + pass.concluding
  const afterWithout = median(none.map(after))
  // Facts that want turns and oracles are found out where checks are, and as well where there is none.
  const checksWithout = time('checks', none)
  const costOf = (pass: PassTimes) => pass.turns + pass.checks - checksWithout + pass.sums + after(pass) - afterWithout
  const cost = median(all.map(costOf))
  const row = (part: string, spent: number, more = '') =>
    console.log(`    ${part.padEnd(44)} ${spent.toFixed(0).padStart(6)} ms ${against(spent, reading)}${more}`)
  console.log(`  ${when}:`)
  row('read into trajectories', reading, `, ${(reading / parse).toFixed(2)} × JSON.parse`)
  row('turns and oracles', time('turns'))
  row('checks of each rollout', time('checks') - checksWithout)
  row('sums of tokens', time('sums'))
  row('checks of the whole dump, telling findings', median(all.map(after)) - afterWithout)
  const ratios = withChecks.map((passes) => median(passes.map((pass) => costOf(pass) / pass.reading)))
  const [low, high] = [Math.min(...ratios).toFixed(2), Math.max(...ratios).toFixed(2)]
  const ofParse = `, ${(cost / parse).toFixed(2)} × JSON.parse`
  row(
    `${CODES_WITHOUT_ENCODING.length} checks together (goal 1.0)`,
    median(ratios) * reading,
    `, in one process ${low}, in another ${high}${ofParse}`,
  )
  row('facts of each rollout', time('facts') + checksWithout)
  row('groups, verdicts, report', afterWithout)
}

const against = (spent: number, reading: number) => `${(spent / reading).toFixed(2).padStart(6)} × reading`

/** One of its own, as `inspect` has: in one that worked on other dumps before, the engine knows too much. */
function inProcess(parameters: readonly string[]): string {
  const script = join(packageRoot(), 'dist', 'tools', 'audit-passes.js')
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, ...parameters], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`a process that was measured ended with ${status}: ${stderr}`)
  return stdout
}

/** Writes the lines of a sample to `path`, and returns it. */
function unpacked(sample: string, path: string): string {
  writeFileSync(path, linesOf(sample))
  return path
}

function linesOf(sample: string): string {
  return gunzipSync(readFileSync(join('samples', `${sample}.jsonl.gz`))).toString('utf8')
}

/** Writes the rollouts of a sample over and over, as those of ever new groups. */
function repeatSample(sample: string, path: string): void {
  const rollouts = linesOf(sample)
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
