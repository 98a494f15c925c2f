import { HEAD_BYTES } from '../../containers/open.ts'
import type { RunMetadata } from '../../formats/run-metadata/read-metadata.ts'
import { type RunFacts, type SourceRun, withRun } from '../../formats/run-metadata/run-facts.ts'
import { runOfName } from '../../formats/run-metadata/run-of-name.ts'
import { stepOfName } from '../../formats/run-metadata/step-of-name.ts'
import { count } from '../../model/number-text.ts'
import type { LogReport } from '../../model/report.ts'
import type { ByteSource } from '../../model/source.ts'
import { LIMIT_NAMES } from '../../model/streams.ts'
import type { OpenSource } from './open-source.ts'

/** A file that describes the run of the dumps beside it. */
export interface RunDescription {
  readonly name: string
  readonly facts: RunFacts
}

/**
 * What a file that holds no rollouts says of the run, and how a report lists it; null where it is of no known kind. A known file that says
 * nothing of the run (a tokenizer, the state of a dataset) is no description: it would stand against one beside it.
 */
export async function openRunMetadata(
  source: ByteSource,
): Promise<{ readonly description: RunDescription | null; readonly report: LogReport } | null> {
  const { name, size } = source
  const metadata = await readMetadata(source).catch(() => null)
  if (metadata === null) return null
  const { title, evidence, facts } = metadata
  const { model, groupSize, limits } = facts
  const notes = [
    ...(model === null ? [] : [`model ${model}`]),
    ...(groupSize === null ? [] : [`group size ${groupSize}`]),
    ...Object.entries(limits).map(([limit, value]) => `${limit} ${value}`),
  ]
  return {
    description: notes.length === 0 ? null : { name, facts },
    report: { name, bytes: size, kind: 'metadata', title, evidence, notes, series: [], others: [] },
  }
}

async function readMetadata(source: ByteSource): Promise<RunMetadata | null> {
  const { MOST_METADATA_BYTES, readLargeMetadata, readRunMetadata } = await metadataReader()
  return source.size > MOST_METADATA_BYTES
    ? readLargeMetadata(await source.slice(0, HEAD_BYTES))
    : readRunMetadata(await source.slice(0, source.size))
}

/** Its readers of YAML and TOML are a tenth of all that opens files, and most runs have no such file. */
function metadataReader() {
  return import('../../formats/run-metadata/read-metadata.ts')
}

/** That what looks like settings of the run was not read as such, and why; null where the file is something else. */
export async function unreadSettings(source: ByteSource): Promise<string | null> {
  const { name, size } = source
  try {
    const { areUnreadSettings, MOST_LEVELS, MOST_METADATA_BYTES, MOST_YAML } = await metadataReader()
    const head = await source.slice(0, HEAD_BYTES)
    const rest = size > MOST_METADATA_BYTES ? null : await source.slice(0, size)
    if (!areUnreadSettings(head, rest)) return null
    return `${name} looks like settings in YAML and was not read: only those of up to ${count(MOST_YAML)} characters and ${MOST_LEVELS} levels are. Cut from it what does not describe the run, or give the group size and the limits as options.`
  } catch {
    return null
  }
}

/**
 * Sources with what their names and the files beside them say of the run. A description holds for the files in its folder and below; the
 * nearest speaks. Of several in one folder that whose name begins as the file's does (`a.metadata.json`, `a.results.jsonl`). A folder of
 * configurations speaks for the folder that it stands in.
 */
export function inTheirRun(opened: readonly OpenSource[], descriptions: readonly RunDescription[]): OpenSource[] {
  return opened.map((open) => {
    const { name } = open.source
    const facts = agreed(describing(name, descriptions).map((each) => each.facts))
    const run: SourceRun = { ...withName(facts, runOfName(name)), step: stepOfName(name) }
    return { ...open, run, sample: open.sample.map((trajectory) => withRun(trajectory, run)) }
  })
}

/**
 * Those of several descriptions that speak for a file: one, or the configurations of the parts of a run (trainer, orchestrator, inference),
 * each of which knows its own settings; none where they cannot be told apart.
 */
export function describing<Description extends { readonly name: string; readonly facts: unknown }>(
  name: string,
  descriptions: readonly Description[],
): readonly Description[] {
  const above = descriptions.filter((each) => name.startsWith(folderOf(each.name)))
  const deepest = Math.max(...above.map((each) => folderOf(each.name).length))
  const nearest = above.filter((each) => folderOf(each.name).length === deepest)
  const [only] = nearest
  if (only === undefined || nearest.length === 1) return nearest
  const own = nearest.filter((each) => stemOf(each.name) !== '' && name.slice(deepest).startsWith(stemOf(each.name)))
  if (own.length > 0) return [own.reduce((a, b) => (stemOf(b.name).length > stemOf(a.name).length ? b : a))]
  if (nearest.every((each) => CONFIGURATIONS.test(each.name))) return nearest
  // Several that say the same are as good as one.
  return nearest.every((each) => JSON.stringify(each.facts) === JSON.stringify(only.facts)) ? [only] : []
}

/** What several descriptions of one run say, as far as none says otherwise. */
function agreed(all: readonly RunFacts[]): RunFacts {
  const one = <Value>(values: readonly (Value | null | undefined)[]): Value | null => {
    const [first, ...others] = new Set(values.filter((value) => value !== null && value !== undefined))
    return others.length > 0 ? null : (first ?? null)
  }
  const limits = LIMIT_NAMES.flatMap((name) => {
    const limit = one(all.map((each) => each.limits[name]))
    return limit === null ? [] : [[name, limit] as const]
  })
  return {
    model: one(all.map(({ model }) => model)),
    groupSize: one(all.map(({ groupSize }) => groupSize)),
    limits: Object.fromEntries(limits),
  }
}

/** What files say of a run comes before what the name of its folder does. */
function withName(facts: RunFacts, named: RunFacts | null): RunFacts {
  if (named === null) return facts
  const { model, groupSize, limits } = facts
  return { model, groupSize: groupSize ?? named.groupSize, limits: { ...named.limits, ...limits } }
}

/** Where trainers keep the configurations of a run: prime-rl in `configs`, whatever runs under Hydra (verl) in `.hydra`. */
const CONFIGURATIONS = /(^|\/)(configs?|\.hydra)\/.*$/s

function folderOf(name: string): string {
  const of = name.replace(CONFIGURATIONS, '$1')
  return of.slice(0, of.lastIndexOf('/') + 1)
}

/** What stands before the words that make a file a description. */
function stemOf(name: string): string {
  return (name.split('/').at(-1) as string).replace(/[._-]?(metadata|meta|config|info)\b.*$/is, '')
}
