import { paddingOf } from '../../checks/oracles/padding.ts'
import type { Stream } from '../../model/streams.ts'
import type { Segmentation } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { chatTemplate, templateMessages } from '../../tokens/template/render.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import { TemplateError } from '../../tokens/template/template-error.ts'
import { decodeSpan, tokenTexts } from '../../tokens/text.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { TokenizerError } from '../../tokens/tokenizer-error.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { RenderedTexts } from '../rendered-texts.ts'
import type { IdComparison, IdDifference } from '../requests/rollout.ts'
import { alignIds } from './align-ids.ts'
import { nameDifference } from './name-difference.ts'

/** Characters of the longest text that is rendered or encoded again. */
const LONGEST = 1 << 20
const MOST_LISTED = 2000
/** Tokens on either side of a difference that tell what it is a part of. */
const AROUND = 6

/** Why there is nothing to compare the ids with. */
class Impossible extends Error {}

/** The ids of a rollout, recorded or reconstructed. */
interface OwnIds {
  readonly ids: Int32Array
  readonly trajectory: Trajectory
  readonly segmentation: Segmentation | null
  /** Nobody recorded them. */
  readonly reconstructed: boolean
}

/**
 * The recorded ids, padding left out, beside what their messages render to through the chat template, or beside their own text encoded
 * again. Throws the signal's reason between two turns.
 *
 * @param rendered stands for ids that the dump does not have
 */
export async function compareIds(
  { trajectory, view, missing }: LoadedTrajectory,
  tokenizer: Tokenizer | null,
  kind: IdComparison['kind'],
  signal?: AbortSignal,
  rendered: RenderedTexts | null = null,
): Promise<IdComparison> {
  try {
    const { ids, segmentation } = view ?? rendered ?? { ids: new Int32Array(0), segmentation: null }
    if (ids.length === 0) throw new Impossible('There are no token ids in this rollout.')
    const own: OwnIds = { ids, trajectory, segmentation, reconstructed: view === null }
    if (tokenizer === null) {
      throw new Impossible(
        'No tokenizer is known for these ids. Choose one in the line above, or drop its tokenizer.json here.',
      )
    }
    const { left, right } = paddingOf({ segmentation, trajectory })
    const end = ids.length - right
    const text = kind === 'render' ? renderedText(own, missing, tokenizer) : decodeSpan(tokenizer.table, ids, left, end)
    const other = await encodedByTurns(text, tokenizer, signal)
    return compared(kind, own, ids.subarray(left, end), left, other, tokenizer)
  } catch (error) {
    if (!(error instanceof Impossible)) throw error
    return {
      kind,
      impossible: error.message,
      how: '',
      ids: new Int32Array(0),
      text: '',
      textOffsets: new Uint32Array(1),
      differences: [],
      omitted: 0,
      common: 0,
    }
  }
}

/** The text that the template gives for the messages of the record. */
function renderedText({ trajectory, segmentation }: OwnIds, missing: readonly Stream[], tokenizer: Tokenizer): string {
  const { messages, tools } = trajectory
  if (messages === null)
    throw new Impossible(
      `Messages: not in this ${missing.includes('messages') ? 'dump' : 'rollout'}, so there is nothing to render. Dump the conversation beside the ids.`,
    )
  if (tokenizer.template === null) {
    throw new Impossible('The tokenizer has no chat template. Drop the tokenizer_config.json that goes with it.')
  }
  const length = messages.reduce(
    (sum, { content, reasoning }) => sum + (content?.length ?? 0) + (reasoning?.length ?? 0),
    0,
  )
  if (length > LONGEST)
    throw new Impossible(`The messages have ${length.toLocaleString('en-US')} characters, more than is rendered here.`)
  try {
    return chatTemplate(tokenizer.template, tokenizer.frame?.names).render(templateMessages(messages), {
      tools,
      generationPrompt: segmentation?.endsWithGenerationPrompt ?? false,
    })
  } catch (error) {
    if (error instanceof TemplateError) throw new Impossible(error.message)
    throw error
  }
}

/** Ids of a text, turn by turn, so that it can be stopped: a control token ends a piece whatever stands around it. */
async function encodedByTurns(text: string, tokenizer: Tokenizer, signal?: AbortSignal): Promise<Int32Array> {
  if (text.length > LONGEST)
    throw new Impossible(`The text has ${text.length.toLocaleString('en-US')} characters, more than is encoded here.`)
  const opening = tokenizer.frame === null ? null : tokenizer.raw(tokenizer.frame.turnStart)
  const pieces = opening === null || opening === '' ? [text] : text.split(opening)
  const ids: number[] = []
  for (const [position, piece] of pieces.entries()) {
    signal?.throwIfAborted()
    try {
      for (const id of tokenizer.encode(position === 0 ? piece : opening + piece, { specials: true })) ids.push(id)
    } catch (error) {
      if (error instanceof TokenizerError) throw new Impossible(`The ids cannot be made from text: ${error.message}`)
      throw error
    }
    // Lets the message that stops this arrive.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  signal?.throwIfAborted()
  return Int32Array.from(ids)
}

function compared(
  kind: IdComparison['kind'],
  row: OwnIds,
  own: Int32Array,
  offset: number,
  other: Int32Array,
  tokenizer: Tokenizer,
): IdComparison {
  const { table, frame } = tokenizer
  const hunks = alignIds(own, other, frame?.turnStart ?? -1)
  const { text, textOffsets } = tokenTexts(table, other)
  const defaultSystem = kind === 'render' ? (learnedTemplateOf(tokenizer)?.defaultSystem ?? null) : null
  let common = own.length
  for (const { a } of hunks) common -= a[1] - a[0]
  const differences = hunks.slice(0, MOST_LISTED).map(({ a, b }): IdDifference => {
    const at = [a[0] + offset, a[1] + offset] as const
    const named = nameDifference(
      {
        kind,
        at,
        recorded: decodeSpan(table, own, a[0], a[1]),
        other: decodeSpan(table, other, b[0], b[1]),
        around: [
          decodeSpan(table, own, a[0] - AROUND, a[1] + AROUND),
          decodeSpan(table, other, b[0] - AROUND, b[1] + AROUND),
        ],
        sizes: [a[1] - a[0], b[1] - b[0]],
        isEnd: a[1] === own.length && b[1] === other.length,
        defaultSystem,
      },
      row,
      tokenizer,
    )
    return { recorded: at, other: b, ...named }
  })
  return {
    kind,
    impossible: null,
    how:
      kind === 'render'
        ? `${counted(row.trajectory.messages, 'message')} and ${counted(row.trajectory.tools, 'tool')} through the chat template of ${tokenizer.title}`
        : `the ${row.reconstructed ? 'reconstructed' : 'recorded'} ids decoded and encoded again by ${tokenizer.title}`,
    ids: other,
    text,
    textOffsets,
    differences,
    omitted: hunks.length - differences.length,
    common,
  }
}

function counted(list: readonly unknown[] | null, one: string): string {
  const count = list?.length ?? 0
  return `${count === 0 ? 'no' : count.toLocaleString('en-US')} ${one}${count === 1 ? '' : 's'}`
}
