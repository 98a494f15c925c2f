import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { CODES_WITHOUT_ENCODING } from './checks.ts'
import { writeBenchDump } from './dump.ts'
import { interleaved, print } from './timing.ts'

/** So many that starting Node and reading three vocabularies is a part of the time and not most of it. */
const BYTES = 256 << 20

/**
 * `inspect` of ids and masks as a person runs it, from the start of the process to its end, with all checks that encode nothing again.
 * Against bare `JSON.parse` of the same lines, which were read and split before.
 */
export async function inspectAgainstParse(folder: string): Promise<void> {
  const path = join(folder, 'process.jsonl')
  writeBenchDump(path, BYTES)
  const lines = readFileSync(path, 'latin1').trimEnd().split('\n')
  let parsed = 0
  const inspect = (jobs: number) => () => inspected(path, join(folder, 'report.json'), jobs, lines.length)
  const [parse, alone, shared] = await interleaved([
    async () => {
      for (const line of lines) parsed += JSON.parse(line).input_ids.length
    },
    inspect(1),
    inspect(availableParallelism()),
  ])
  if (parsed === 0) throw new Error('nothing was parsed')
  print(`JSON.parse of ${lines.length} lines, ${BYTES >> 20} MB`, parse)
  print('inspect of the file, whole process, one thread', alone, parse)
  print(`inspect of the file, whole process, ${availableParallelism()} workers (goal 1.0)`, shared, parse)
}

async function inspected(path: string, report: string, jobs: number, rollouts: number): Promise<void> {
  const options = ['--json', report, '--jobs', String(jobs), '--checks', CODES_WITHOUT_ENCODING.join()]
  const inspect = spawn(process.execPath, ['dist/cli/main.js', 'inspect', path, ...options], { stdio: 'ignore' })
  await new Promise((done) => inspect.on('exit', done))
  const { totals } = JSON.parse(readFileSync(report, 'utf8')) as { totals: { trajectories: number } }
  if (totals.trajectories !== rollouts) throw new Error('inspect lost rollouts')
}
