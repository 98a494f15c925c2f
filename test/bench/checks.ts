import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { Session } from '../../shared/session/session.ts'
import { interleaved, median, print } from './timing.ts'

/** They encode or render texts again, which has its own measure. */
const REENCODING: ReadonlySet<string> = new Set(['T02', 'T10', 'T11', 'T12', 'T13'])
const BYTES = 32 << 20

const SAMPLES = ['clean-qwen2.5', 'verifiers-2025-08']

/**
 * What all checks but those cost, against parsing the dump: the audit with them less the audit with one that looks at a single
 * token. On rollouts with messages, logprobs and documents, so that every check has something to look at.
 */
export async function checksAgainstParse(folder: string): Promise<void> {
  for (const sample of SAMPLES) await checksOf(sample, join(folder, `${sample}.jsonl`))
}

async function checksOf(sample: string, path: string): Promise<void> {
  const lines = linesLike(sample)
  writeFileSync(path, `${lines.join('\n')}\n`)
  const all = CHECKS.map(({ code }) => code).filter((code) => !REENCODING.has(code))
  const audit = (checks: readonly string[]) => async () => {
    const source = await NodeFileSource.open(path, sample)
    const session = await Session.open([source], { checks: [...checks] }, nodeHost(1))
    await session.done
    if (session.report().totals.trajectories !== lines.length) throw new Error('the audit lost rollouts')
  }
  let parsed = 0
  const [parse, one, every] = await interleaved([
    async () => {
      for (const line of lines) parsed += Object.keys(JSON.parse(line)).length
    },
    audit(['T01']),
    audit(all),
  ])
  if (parsed === 0) throw new Error('nothing was parsed')
  const cost = median(every ?? []) - median(one ?? [])
  print(`JSON.parse of ${BYTES >> 20} MB like ${sample}`, parse)
  print(`their audit with one check`, one, parse)
  print(`their audit with ${all.length} checks`, every, parse)
  console.log(
    `all checks that encode nothing again cost ${(cost / median(parse ?? [])).toFixed(2)} × parsing (goal 1.0)`,
  )
}

/** The rollouts of a sample over and over, as those of ever new groups. */
function linesLike(sample: string): string[] {
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
  return lines
}
