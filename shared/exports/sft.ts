import { holdPromptAlone } from '../checks/texts/beyond-messages.ts'
import { holdsFlattenedTurns } from '../formats/text-rows.ts'
import { counted } from '../model/number-text.ts'
import { firstReply } from '../model/roles.ts'
import { TokenState } from '../model/tokens.ts'
import {
  bySource,
  type ExportedTrajectory,
  type ExportInput,
  type ExportKind,
  type ExportSink,
  type WrittenFile,
} from './export-kind.ts'
import { exportFileNames } from './file-names.ts'
import { jsonText } from './json-text.ts'
import { TrainingMessages } from './training-messages.ts'

/** Entry of `labels` whose token carries no loss, in every trainer that reads labels. */
const IGNORED = -100

const name = ({ report }: ExportInput, source: number) => exportFileNames(report.sources, 'sft.jsonl')[source] as string

/**
 * The chosen rollouts as data for supervised fine-tuning, one JSON line each, one file per source. Where the source has messages with
 * what the model said: the columns `messages` and `tools` that TRL, axolotl and LLaMA-Factory read. Otherwise `input_ids` and `labels`,
 * which they take for prepared rows: the ids without padding, each label the id of its own token where that was trained and -100 elsewhere.
 */
export const sftExport: ExportKind = {
  id: 'sft',
  title: 'Rows for supervised fine-tuning: messages, or ids with labels',
  names: async (input) => [...bySource(input).keys()].map((source) => name(input, source)),
  async write(input, sink) {
    const notes: string[] = []
    const files: WrittenFile[] = []
    for (const [source, indices] of bySource(input)) {
      files.push(await writeSource(input, { source, indices, name: name(input, source) }, sink, notes))
    }
    return { files, notes }
  },
}

async function writeSource(
  { origin, report, repairs }: ExportInput,
  { source, indices, name }: { source: number; indices: readonly number[]; name: string },
  sink: ExportSink,
  notes: string[],
): Promise<WrittenFile> {
  // Columns are those of the whole file: a loader takes them from its first rows.
  const hasMessages = !(report.sources[source]?.missing.includes('messages') ?? false)
  let asMessages = hasMessages
  const writer = await sink.open(name)
  const encoder = new TextEncoder()
  const left = { excluded: 0, empty: 0, turns: 0 }
  const messages = new TrainingMessages()
  let flattened = 0
  let weighted = 0
  let unmasked = 0
  let records = 0
  for await (const loaded of origin.read(indices)) {
    if (loaded.trajectory.excluded) {
      left.excluded++
      continue
    }
    if (asMessages && holdsFlattenedTurns(loaded.trajectory.messages)) {
      left.turns++
      continue
    }
    let row = asMessages ? messageRow(loaded, messages) : tokenRow(loaded)
    if (row === null && asMessages && records === 0 && holdPromptAlone(loaded.trajectory.messages)) {
      row = tokenRow(loaded)
      asMessages = row === null
    }
    if (row === null) {
      left.empty++
      continue
    }
    if (asMessages && (repairs?.changed.get(loaded.index) ?? 0) > 0) {
      repairs?.wrote(loaded.index, 0)
      unmasked++
    }
    if (!asMessages && loaded.view?.weights != null) weighted++
    if (asMessages && loaded.trajectory.messages?.some((message) => message.flattened)) flattened++
    const { id, reward } = loaded.trajectory
    await writer.write(encoder.encode(`${jsonText({ id, ...row, reward: reward ?? undefined })}\n`))
    records++
  }
  await writer.close()
  const of = report.sources.length > 1 ? ` of ${report.sources[source]!.name}` : ''
  if (left.excluded > 0)
    notes.push(`${counted(left.excluded, 'rollout')}${of} that the source excludes from the loss as a whole: left out.`)
  if (left.empty > 0) {
    const lacked = asMessages ? 'messages with a turn of the assistant' : 'trained token ids'
    notes.push(`${counted(left.empty, 'rollout')}${of} without ${lacked}: left out.`)
  }
  if (left.turns > 0)
    notes.push(
      `${counted(left.turns, 'rollout')}${of} whose turns and tool replies stand in the text of one reply, as they were decoded: left out, since who learns from it learns to write tool output.`,
    )
  if (flattened > 0)
    notes.push(
      `${counted(flattened, 'rollout')}${of} whose texts were decoded as a whole: what the trainer’s chat template wrote into a prompt stands in the message of the user, and a template puts its own around it again.`,
    )
  if (weighted > 0)
    notes.push(
      `${counted(weighted, 'rollout')}${of} with loss weights other than 0 and 1, which labels cannot tell: lost here.`,
    )
  if (unmasked > 0)
    notes.push(
      `${counted(unmasked, 'rollout')}${of} whose masks would be repaired: messages hold none, whoever trains on them makes one of their roles.`,
    )
  notes.push(...messages.notes())
  if (!asMessages)
    notes.push(
      `There are no messages ${hasMessages ? 'with a turn of the assistant ' : ''}in ${report.sources[source]!.name}: rows are ids and labels, without padding.`,
    )
  return { name, source, records, trajectories: records }
}

function messageRow({ trajectory }: ExportedTrajectory, written: TrainingMessages): Record<string, unknown> | null {
  const { messages, tools } = trajectory
  if (messages === null || firstReply(messages) < 0) return null
  return { messages: written.of(messages), tools: tools ?? undefined }
}

function tokenRow({ view }: ExportedTrajectory): Record<string, unknown> | null {
  if (view === null) return null
  const { ids, states } = view
  const kept = Array.from(ids.keys()).filter((token) => states[token] !== TokenState.padding)
  if (!kept.some((token) => states[token] === TokenState.trained)) return null
  return {
    input_ids: kept.map((token) => ids[token] as number),
    labels: kept.map((token) => (states[token] === TokenState.trained ? (ids[token] as number) : IGNORED)),
  }
}
