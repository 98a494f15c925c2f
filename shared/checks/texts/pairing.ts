import { Hash64 } from '../../model/hash.ts'
import { roleKind } from '../../model/roles.ts'
import type { Segmentation, Turn } from '../../model/tokens.ts'
import { toolSchema } from '../../model/tool-schema.ts'
import type { Message, Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import { KeptTexts } from './kept-texts.ts'
import { normalised } from './normalised-text.ts'
import { promptOpening, type Writers } from './prompt-opening.ts'
import { type KnownQuestion, questionSentences } from './question-sentences.ts'
import { flatOpening, type RenderedPrompt, renderedIn } from './rendered-prompt.ts'
import { replyRoles } from './reply-roles.ts'
import { systemHashOf, systemText } from './system-text.ts'
import { type ToolsInText, toolsInText, withoutUuids } from './tools-in-text.ts'

/** Digests by which a rollout is found again in a second run of the same questions, and compared with it; null = not told. */
export interface PairingFacts {
  /** Of the first question: its words where there are messages, else its ids. */
  readonly question: string | null
  /** Of its ids, where it is named by its words: a run that stores no messages is paired by these. Absent where they are not known. */
  readonly questionIds?: string
  /** Of the words that its ids spell, where it is named by these: a run of messages alone is paired by them. Absent without a tokenizer. */
  readonly idWords?: string
  /** Of its sentences, as the function of that name gives them. Absent where it is one, and where its words are not known. */
  readonly questionSentences?: string
  /** Of the system message; `none` where the messages have none. */
  readonly system: string | null
  /** Of the system text that a template wrote into a prompt that was decoded whole, as that of ids is told; `none` where there is none. Absent elsewhere. */
  readonly flatSystem?: string
  /** Of the tools, as `toolsDigest` makes it; `none` for an empty list. Those that the system text lists where the record has no field for them. */
  readonly tools: string | null
  /** What the prompt writes of the model’s first turn, as `promptOpening` tells. Absent where it is not told. */
  readonly opening?: string
  /** Roles of the replies in the ids, as `replyRoles` tells them. Absent where there is none. */
  readonly replyRoles?: string
  /** Of what the system text says beside the tools that it lists. Absent where it lists none. */
  readonly besideTools?: string
  /** Of the words of the last assistant message, and of its calls: one of them may hand in the answer. */
  readonly answer: string | null
}

/** A question is told from others by its first words; documents may follow it by the page. */
const QUESTION_CHARACTERS = 4000

export function pairingFacts(
  trajectory: Trajectory,
  segmentation: Segmentation | null,
  table: TokenTable | null,
  writers: Writers = { mask: null, provenance: null },
): PairingFacts {
  const { messages, tools, ids } = trajectory
  const rendered = renderedPrompt(messages)
  const known = rendered === null ? knownQuestion(messages) : keptQuestions.of(rendered.question, lookedThrough).known
  const question = known?.words ?? null
  const turn = questionTurn(segmentation)
  const byIds =
    turn === null || ids === null
      ? plainPromptKey(trajectory, segmentation, writers.mask)
      : questionIdsKey(ids, turn.contentStart, turn.contentEnd)
  const spelt = question === null && ids !== null && turn !== null ? wordsOf(table, ids, turn, byIds as string) : null
  const opened =
    rendered === null ? promptOpening(trajectory, segmentation, table, writers) : flatOpening(rendered, messages)
  const replies = replyRoles(segmentation)
  const system = words(messages?.find(({ role }) => roleKind(role) === 'system') ?? null)
  return {
    question: question ?? byIds,
    ...(question === null || byIds === null ? {} : { questionIds: byIds }),
    ...(known === null || known.sentences === null ? {} : { questionSentences: known.sentences }),
    ...(spelt === null ? {} : { idWords: spelt }),
    // What the template wrote beside the system message cannot be told from it, nor from a prompt that was decoded whole.
    system: messages === null || firstQuestion(messages)?.flattened === true ? null : (system ?? 'none'),
    ...(rendered === null ? {} : { flatSystem: rendered.system === null ? 'none' : systemHashOf(rendered.system) }),
    tools: tools === null ? null : toolsDigest(tools),
    ...besideOf(tools, toolsOfSystem(trajectory, segmentation, table, rendered)),
    ...(opened === null ? {} : { opening: opened }),
    ...(replies === null ? {} : { replyRoles: replies }),
    answer: answerOf(messages),
  }
}

const inTexts = new WeakMap<ToolsInText, Pick<PairingFacts, 'tools' | 'besideTools'>>()

/** The record's own tools come before those that its system text lists. */
function besideOf(tools: Trajectory['tools'], listed: Pick<PairingFacts, 'tools' | 'besideTools'> | null) {
  if (tools === null || listed?.besideTools === undefined) return tools === null ? listed : null
  return { besideTools: listed.besideTools }
}

/** What the system turn lists, or the system message where there are no ids. */
function toolsOfSystem(
  { ids, messages }: Trajectory,
  segmentation: Segmentation | null,
  table: TokenTable | null,
  rendered: RenderedPrompt | null,
): Pick<PairingFacts, 'tools' | 'besideTools'> | null {
  const message = messages?.find(({ role }) => roleKind(role) === 'system')?.content ?? ''
  const listed =
    ids === null || segmentation === null || table === null
      ? keptLists.of(rendered?.system ?? message, listedIn).listed
      : (systemText(table, ids, segmentation)?.tools ?? null)
  if (listed === null) return null
  const known = inTexts.get(listed)
  if (known !== undefined) return known
  const digests = digestsOf(listed)
  inTexts.set(listed, digests)
  return digests
}

/** None of what is nested too deeply to be written again, as in a text that somebody made to be so. */
function digestsOf({ tools, beside }: ToolsInText): Pick<PairingFacts, 'tools' | 'besideTools'> {
  try {
    return { tools: toolsDigest(tools), besideTools: digestOf(beside).digest ?? 'none' }
  } catch {
    return { tools: null }
  }
}

/** A run has few system messages. */
const keptLists = new KeptTexts<{ readonly listed: ToolsInText | null }>(64)
const listedIn = (text: string) => ({ listed: toolsInText(text) })

function answerOf(messages: readonly Message[] | null): string | null {
  const last = messages?.findLast(({ role }) => roleKind(role) === 'assistant') ?? null
  const calls = (last?.toolCalls ?? []).map((call) => `\n${call.name} ${call.arguments}`)
  // No two rollouts say the same, as a rule: nothing is gained by keeping it.
  return digestOf(`${opening(last)}${calls.join('')}`.slice(0, QUESTION_CHARACTERS)).digest
}

/** Rollouts of a group have one question. */
const keptQuestions = new KeptTexts<{ readonly known: KnownQuestion | null }>(16)

function lookedThrough(content: string) {
  const words = digestOf(content.slice(0, QUESTION_CHARACTERS)).digest
  const sentences = questionSentences(content, (sentence) => digestOf(sentence).digest)
  return { known: words === null ? null : { words, sentences } }
}

/** The first question; null without one. */
export function knownQuestion(messages: readonly Message[] | null): KnownQuestion | null {
  return keptQuestions.of(firstQuestion(messages)?.content ?? '', lookedThrough).known
}

/** Rollouts of a group have one prompt. */
const keptPrompts = new KeptTexts<{ readonly rendered: RenderedPrompt | null }>(16)
const renderedOf = (content: string) => ({ rendered: renderedIn(content) })

/** Null where the first question is no prompt that was decoded whole. */
function renderedPrompt(messages: readonly Message[] | null): RenderedPrompt | null {
  const first = firstQuestion(messages)
  return first?.flattened === true ? keptPrompts.of(first.content ?? '', renderedOf).rendered : null
}

export function firstQuestion(messages: readonly Message[] | null): Message | null {
  return messages?.find(({ role }) => roleKind(role) === 'user') ?? null
}

/** A run has few system messages. */
const kept = new KeptTexts<{ readonly digest: string | null }>(64)

function words(message: Message | null): string | null {
  return kept.of(opening(message), digestOf).digest
}

function opening(message: Message | null): string {
  return (message?.content ?? '').slice(0, QUESTION_CHARACTERS)
}

function digestOf(content: string): { readonly digest: string | null } {
  const text = normalised(content).toLowerCase()
  return { digest: text === '' ? null : new Hash64().text(text).digest() }
}

/** Rollouts of a group have one question; by its ids. */
const keptSpellings = new KeptTexts<{ readonly digest: string | null }>(16)

function wordsOf(table: TokenTable | null, ids: Int32Array, { contentStart, contentEnd }: Turn, key: string) {
  if (table === null) return null
  // A token has one byte at least, and a character three at most but for those that take two units.
  const end = Math.min(contentEnd, contentStart + 3 * QUESTION_CHARACTERS)
  const spell = () => digestOf(decodeSpan(table, ids, contentStart, end).slice(0, QUESTION_CHARACTERS))
  return keptSpellings.of(key, spell).digest
}

function questionTurn(segmentation: Segmentation | null): Turn | null {
  const turn = segmentation?.turns.find(({ kind }) => kind === 'user')
  return turn?.header === 'present' ? turn : null
}

/** Ids that no template frames, asked of a base model: the question is all that stands before the first trained token. */
function plainPromptKey({ ids }: Trajectory, segmentation: Segmentation | null, mask: Uint8Array | null) {
  if (ids === null || mask === null || (segmentation?.turns.length ?? 0) > 0) return null
  const start = segmentation?.padding.left ?? 0
  const end = mask.indexOf(1)
  return end > start ? questionIdsKey(ids, start, end) : null
}

/** How a question is named whose words are not in the dump: by its ids from `start` (inclusive) to `end` (exclusive). */
export function questionIdsKey(ids: Int32Array, start: number, end: number): string {
  return `${BY_IDS}${new Hash64().words(ids, start, end).digest()}`
}

const BY_IDS = 'ids '

/** Whether a question is named by its ids, not by its words. */
export function isNameByIds(question: string): boolean {
  return question.startsWith(BY_IDS)
}

/** Rollouts of a run have few lists of tools. */
const keptTools = new KeptTexts<string>(64)

/**
 * Digest of the names and parameters of tools, in whatever order and shape they are listed, and behind it those of what not every dump keeps of
 * them: descriptions, those of parameters, types, which are required. Empty where no tool tells.
 */
function toolsDigest(tools: readonly unknown[]): string {
  if (tools.length === 0) return 'none'
  const listed = tools.map(described).sort((a, b) => (a.name < b.name ? -1 : 1))
  const aspects = [
    listed.map(({ name, parameters }) => `${name}(${parameters.map(([key]) => key).join(',')})`),
    told(listed.map(({ description }) => description)),
    told(listed.flatMap(({ parameters }) => parameters.map(([, { description }]) => wordsIn(description)))),
    told(
      listed.flatMap(({ parameters }) =>
        parameters.map(([, { type }]) => (type === undefined ? '' : JSON.stringify(type))),
      ),
    ),
    told(listed.map(({ required }) => required)),
  ]
  return keptTools.of(aspects.map((lines) => lines.join('\n')).join('\0'), (text) =>
    text
      .split('\0')
      .map((aspect) => (aspect === '' ? '' : new Hash64().text(aspect).digest()))
      .join(NEXT),
  )
}

const NEXT = '/'

/** Whether two digests of tools are of the same ones: what only one of two dumps keeps of them is no difference. */
export function areSameTools(a: string, b: string): boolean {
  const others = b.split(NEXT)
  return a.split(NEXT).every((aspect, i) => {
    const other = others[i] ?? ''
    return aspect === other || (i > 0 && (aspect === '' || other === ''))
  })
}

/** Nothing where none of them tells. */
function told(values: readonly string[]): readonly string[] {
  return values.every((value) => value === '') ? [] : values
}

function described(tool: unknown) {
  const { name, description, parameters, required } = toolSchema(tool)
  return {
    name: name ?? '',
    description: wordsIn(description),
    parameters: [...(parameters ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
    required: required === null ? '' : `[${[...required].sort().join(',')}]`,
  }
}

function wordsIn(value: unknown): string {
  return typeof value === 'string' ? normalised(withoutUuids(value)).replaceAll('\0', '') : ''
}
