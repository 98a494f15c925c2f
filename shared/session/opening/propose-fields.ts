import { createView } from '../../checks/view.ts'
import { expandArchive } from '../../containers/archive/expand.ts'
import { UnreadableSource } from '../../containers/container.ts'
import { openContainer } from '../../containers/open.ts'
import { isObject } from '../../formats/fields.ts'
import type { FieldMapping } from '../../formats/mapping.ts'
import { pathsOf } from '../../formats/mapping-paths.ts'
import { native } from '../../formats/native.ts'
import { proposeMapping } from '../../formats/propose-mapping.ts'
import { NO_RUN } from '../../formats/run-metadata/run-facts.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { ByteSource } from '../../model/source.ts'
import { TokenState } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { tokenTexts } from '../../tokens/text.ts'
import type { TokenizerReference } from '../audit/plan.ts'
import type { EngineHost } from '../host.ts'
import type { FieldProposal, MappedRollout } from '../protocol.ts'
import { mappedRecognition, type OpenSource, openRecords } from './open-source.ts'
import { survey } from './survey.ts'

/** Tokens shown from the beginning, and from shortly before the first trained one. */
const SHOWN_TOKENS = 32
const BEFORE_TRAINED = 8

/**
 * Where the fields of a file of no known format may stand, and what its first record is under `options.map`, or under the proposal where that
 * is absent. Throws `UnreadableSource` where no record can be had.
 *
 * @param name of the file, as `unreadable` has it: one in an archive is called `archive.zip › step_1.jsonl`
 */
export async function proposeFields(
  given: ByteSource,
  name: string,
  options: AuditOptions,
  host: EngineHost,
  { added, signal }: { readonly added: readonly TokenizerReference[]; readonly signal: AbortSignal },
): Promise<FieldProposal> {
  const { maxUnpacked = null } = options
  const { sources } = await expandArchive(given, { maxUnpacked })
  const source = sources.find((each) => each.name === name)
  if (source === undefined)
    throw new UnreadableSource('not-there', `${name} is not there any more. Open the files again.`)
  const { container, records } = await openRecords(
    await openContainer(source, { maxUnpacked }),
    options.map ?? null,
    signal,
  )
  const values = records.map(({ value }) => value)
  const example = values.find(isObject)
  if (example === undefined) {
    throw new UnreadableSource(
      'no-object',
      `${name}: none of its first records is an object, so there are no fields to map.`,
    )
  }
  const proposal = proposeMapping(values)
  const found = { shape: Object.keys(example).sort().join('\n'), paths: pathsOf(example), proposal }
  const map: FieldMapping = options.map ?? proposal ?? {}
  if (Object.keys(map).length === 0) return { ...found, first: null, problems: [] }
  const { metadata } = container
  const recognition = mappedRecognition(map)
  const { trajectories, skipped } = native.read(records, { source: 0, recognition, metadata })
  const [first] = trajectories
  const problems = [...new Set([...skipped, ...(first?.issues ?? [])].map(({ message }) => message))].slice(0, 3)
  if (first === undefined) return { ...found, first: null, problems }
  const open: OpenSource = {
    source,
    container,
    format: native,
    recognition,
    run: NO_RUN,
    sample: trajectories,
    isOfNumbers: false,
  }
  return { ...found, first: await shown(first, open, options, host, added), problems }
}

async function shown(
  trajectory: Trajectory,
  open: OpenSource,
  options: AuditOptions,
  host: EngineHost,
  added: readonly TokenizerReference[],
): Promise<MappedRollout> {
  const found = await survey([open], options, host, added)
  const tokenizer = found.tokenizers[0] ?? null
  const settings = found.plan.sources[0]?.settings ?? found.plan.settings
  const view = createView(trajectory, { tokenizer, settings, unsampledLogprob: native.unsampledLogprob })
  const count = (state: TokenState) => view?.states.reduce((sum, each) => sum + Number(each === state), 0) ?? 0
  const known = trajectory.mask !== null
  const firstTrained = view?.states.indexOf(TokenState.trained) ?? -1
  const excerpts = (from: number) => {
    const ids = (trajectory.ids as Int32Array).slice(from, from + SHOWN_TOKENS)
    const texts = tokenizer === null ? null : tokenTexts(tokenizer.table, ids)
    const tokens = Array.from(ids, (id, i) => ({
      id,
      text: texts === null ? null : texts.text.slice(texts.textOffsets[i], texts.textOffsets[i + 1]),
      trained: view?.states[from + i] === TokenState.trained,
    }))
    return { from, tokens }
  }
  const later = Math.max(0, firstTrained - BEFORE_TRAINED)
  return {
    tokens: trajectory.ids?.length ?? null,
    trained: view !== null && known ? count(TokenState.trained) : null,
    messages: trajectory.messages?.length ?? null,
    reward: trajectory.reward,
    group: trajectory.group,
    step: trajectory.step,
    tokenizer: tokenizer?.id ?? null,
    excerpts: view === null ? [] : [excerpts(0), ...(later > SHOWN_TOKENS / 2 ? [excerpts(later)] : [])],
  }
}
