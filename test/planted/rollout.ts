import type { Random } from '../../samples/random.ts'
import { type PlannedConversation, type PlannedTurn, writtenText } from './conversation.ts'
import type { PlantedFamily, TemplateMessage } from './families.ts'

/** What a token is in its turn. `content` of an assistant turn is what the model wrote or, in a tagged turn, what was spliced in. */
export type TokenPart = 'bos' | 'header' | 'prefill' | 'content' | 'end' | 'separator' | 'padding'

/** Who speaks in a turn, whatever its role is called. */
export type TurnKind = 'system' | 'user' | 'assistant' | 'tool'

export interface PlantedMessage {
  readonly role: string
  readonly content: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

/** The values of one token. NaN = not scored. */
export interface PlantedToken {
  id: number
  part: TokenPart
  /** Index of its turn, -1 for BOS and padding. */
  turn: number
  /** The model wrote it: the truth, whatever the dump says. */
  sampled: boolean
  trained: boolean
  attended: boolean
  sampler: number
  trainer: number
  reference: number
  advantage: number
}

/**
 * One rollout with the truth about every token. Plants change it in place: `tokens` may be cut and spliced as any array, and
 * everything that is written follows.
 */
export interface PlantedRollout {
  readonly family: PlantedFamily
  conversation: PlannedConversation
  id: string
  group: string
  groupSize: number
  step: number
  model: string
  temperature: number
  tokens: PlantedToken[]
  /** Who speaks, by index of the turn. */
  kinds: TurnKind[]
  messages: PlantedMessage[]
  tools: readonly unknown[] | null
  documents: { id: string; title: string; text: string; supporting: boolean }[]
  answer: string
  reward: number
  rewards: Record<string, number>
  advantage: number
  /** Tokens up to and with the first generation prompt, padding on the left included. */
  promptLength: number
  finishReason: string
  truncated: boolean
  /** The whole row is left out of the loss by a flag beside its mask, where the format has one. */
  excluded: boolean
  limits: Record<string, number>
  /** Any further field of the record, for formats that keep them. */
  more: Record<string, unknown>
}

/** Where a turn lies now; every field is an index of `tokens`. */
export interface TurnPlace {
  readonly index: number
  readonly kind: TurnKind
  /** 1 for the model's first turn; 0 for turns of others. */
  readonly ordinal: number
  readonly start: number
  readonly headerEnd: number
  /** After header and prefill. */
  readonly contentStart: number
  readonly contentEnd: number
  /** -1 where there is none. */
  readonly endToken: number
  readonly end: number
}

/** The turns as the tokens have them now. A turn of which a plant removed every token is not among them. */
export function turnsOf({ tokens, kinds }: PlantedRollout): TurnPlace[] {
  const places: TurnPlace[] = []
  let ordinal = 0
  kinds.forEach((kind, index) => {
    const start = tokens.findIndex(({ turn }) => turn === index)
    if (start < 0) return
    const end = tokens.findLastIndex(({ turn }) => turn === index) + 1
    const after = (...parts: TokenPart[]) => {
      let at = start
      while (at < end && parts.includes((tokens[at] as PlantedToken).part)) at++
      return at
    }
    const endToken = tokens.findIndex(({ turn, part }) => turn === index && part === 'end')
    const closing = tokens.findIndex(({ turn, part }) => turn === index && (part === 'end' || part === 'separator'))
    if (kind === 'assistant') ordinal++
    places.push({
      index,
      kind,
      ordinal: kind === 'assistant' ? ordinal : 0,
      start,
      headerEnd: after('header'),
      contentStart: after('header', 'prefill'),
      contentEnd: closing < 0 ? end : closing,
      endToken,
      end,
    })
  })
  return places
}

export function turnsBy(rollout: PlantedRollout, kind: TurnKind): TurnPlace[] {
  return turnsOf(rollout).filter((turn) => turn.kind === kind)
}

/** How a rollout is encoded and cut. */
export interface BuildOptions {
  /** Most tokens in one turn of the model. */
  readonly maxTokens: number
  /** The row ends with the newline that the template puts after the last end token. */
  readonly lastSeparator: boolean
  /** How often a word is sampled in another split than the tokenizer's own. */
  readonly otherSplits: number
  /** The schemas that the prompt is rendered with; default those of the conversation. */
  readonly promptTools?: readonly unknown[] | null
  /** Other names of roles, in ids and messages, by the template's own. */
  readonly roles?: Readonly<Record<string, string>>
}

export const BUILD: BuildOptions = { maxTokens: 512, lastSeparator: false, otherSplits: 0.004 }

/** Stands for what the model writes while the template renders the rest. */
const WRITTEN = '\uf000'

/**
 * Tokens of a conversation as a correct trainer has them: what the model wrote as the ids it sampled, everything else as the real
 * chat template renders it around them. Nothing is scored yet, and there is no advantage.
 */
export function buildRollout(
  family: PlantedFamily,
  conversation: PlannedConversation,
  random: Random,
  options: BuildOptions = BUILD,
): PlantedRollout {
  const builder = new Builder(family, options.roles)
  const frames = framesOf(family, conversation, options)
  let truncated = false
  let lastWritten = ''
  let promptLength = 0
  conversation.turns.forEach((turn, index) => {
    builder.rendered(frames[index] as string)
    builder.prefill(conversation.prefill)
    if (index === 0) promptLength = builder.tokens.length
    const last = index === conversation.turns.length - 1
    const text = writtenText(family.name, turn)
    const begun = conversation.prefill !== '' && text.startsWith(conversation.prefill)
    const own = begun ? text.slice(conversation.prefill.length) : text
    const ids = sampledIds(family, own, random, options.otherSplits)
    builder.written(ids.slice(0, options.maxTokens))
    for (const { reply, goesOn } of turn.spliced) {
      builder.spliced(reply)
      builder.written(sampledIds(family, goesOn, random, options.otherSplits))
    }
    truncated = last && ids.length >= options.maxTokens
    lastWritten = conversation.prefill + decoded(family, ids.slice(0, options.maxTokens))
    if (!truncated) builder.closed(!conversation.stopsOnString)
  })
  if (options.lastSeparator && !truncated) builder.rendered(family.headerEnd < 0 ? '\n' : '')
  return {
    family,
    conversation,
    id: conversation.id,
    group: conversation.group,
    groupSize: 8,
    step: 0,
    model: family.model,
    temperature: 1,
    tokens: builder.tokens,
    kinds: builder.kinds,
    messages: messagesOf(family, conversation, truncated ? lastWritten : null).map((message) => ({
      ...message,
      role: options.roles?.[message.role] ?? message.role,
    })),
    tools: conversation.tools,
    documents: [...conversation.documents],
    answer: conversation.answer,
    reward: conversation.reward,
    rewards: { ...conversation.rewards },
    advantage: 0,
    promptLength,
    finishReason: truncated ? 'length' : 'stop',
    truncated,
    excluded: false,
    limits: {},
    more: {},
  }
}

/** What the template writes before each turn of the model, its header included. */
function framesOf(family: PlantedFamily, conversation: PlannedConversation, options: BuildOptions): string[] {
  const messages: TemplateMessage[] = []
  if (conversation.system !== null) messages.push({ role: 'system', content: family.protect(conversation.system) })
  messages.push({ role: 'user', content: family.protect(conversation.user) })
  conversation.turns.slice(0, -1).forEach((turn) => {
    messages.push({ role: 'assistant', content: WRITTEN })
    for (const reply of turn.replies) messages.push({ role: 'tool', content: family.protect(reply) })
    if (turn.followUp !== null) messages.push({ role: 'user', content: family.protect(turn.followUp) })
  })
  const tools = options.promptTools === undefined ? conversation.tools : options.promptTools
  const opening = family.headerEnd < 0 ? '<|im_start|>' : '<|start_header_id|>'
  let rendered = family.render(messages, tools, true)
  for (const [role, name] of Object.entries(options.roles ?? {})) {
    rendered = rendered.replaceAll(`${opening}${role}`, `${opening}${name}`)
  }
  return rendered.split(WRITTEN).map((frame, index) => {
    // The model's own end token stands where the template would have put it.
    if (index === 0) return frame
    if (!frame.startsWith(family.endText)) throw new Error(`the template of ${family.name} does not close a turn`)
    return frame.slice(family.endText.length)
  })
}

/** Ids as a sampler gives them: now and then a word in another split than the tokenizer's own. */
function sampledIds({ tokenizer }: PlantedFamily, text: string, random: Random, otherSplits: number): number[] {
  return tokenizer.encode(text, { specials: true }).flatMap((id) => {
    if (!random.chance(otherSplits)) return [id]
    const word = tokenizer.raw(id)
    if (word === null || !/^[a-z]{4,}$/.test(word)) return [id]
    const at = random.integer(1, word.length - 1)
    const halves = [word.slice(0, at), word.slice(at)].map((half) => tokenizer.encode(half))
    return halves.every((half) => half.length === 1) ? halves.flat() : [id]
  })
}

function messagesOf(
  family: PlantedFamily,
  conversation: PlannedConversation,
  lastWritten: string | null = null,
): PlantedMessage[] {
  const messages: PlantedMessage[] = []
  if (conversation.system !== null) messages.push({ role: 'system', content: conversation.system })
  messages.push({ role: 'user', content: conversation.user })
  conversation.turns.forEach((turn, index) => {
    const cut = lastWritten !== null && index === conversation.turns.length - 1
    messages.push(assistantMessage(family, cut ? cutTurn(turn, lastWritten) : turn))
    turn.replies.forEach((content, call) => {
      messages.push({ role: 'tool', tool_call_id: turn.calls[call]?.id ?? `call_${index}`, content })
    })
    if (turn.followUp !== null) messages.push({ role: 'user', content: turn.followUp })
  })
  return messages
}

/** The turn as far as the model came. Only turns that end in prose are cut in planned conversations. */
function cutTurn(turn: PlannedTurn, written: string): PlannedTurn {
  const at = written.indexOf('</think>')
  return { ...turn, text: at < 0 ? written : written.slice(at + '</think>'.length).trimStart() }
}

export function decoded({ tokenizer: { table } }: PlantedFamily, ids: readonly number[]): string {
  const decoder = new TextDecoder()
  const text = ids.map((id) =>
    decoder.decode(table.bytes.subarray(table.offsets[id], table.offsets[id + 1]), { stream: true }),
  )
  return text.join('') + decoder.decode()
}

function assistantMessage(family: PlantedFamily, turn: PlannedTurn): PlantedMessage {
  const { thought, text, calls, spliced } = turn
  const separate = family.name === 'qwen3' && thought !== null
  const inline = thought === null || separate ? '' : `<think>${thought}</think>`
  const rest = spliced.map(({ reply, goesOn }) => reply + goesOn).join('')
  return {
    role: 'assistant',
    content: [inline, text].filter((piece) => piece !== '').join('\n') + rest,
    ...(separate ? { reasoning_content: thought } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function' as const,
            function: { name, arguments: JSON.stringify(args) },
          })),
        }
      : {}),
  }
}

/** Takes tokens in order and says of each what it is. */
class Builder {
  readonly tokens: PlantedToken[] = []
  readonly kinds: TurnKind[] = []
  private state: 'outside' | 'header' | 'body' = 'outside'

  constructor(
    private readonly family: PlantedFamily,
    private readonly roles: Readonly<Record<string, string>> = {},
  ) {}

  private push(id: number, part: TokenPart, sampled = false): void {
    const turn = part === 'bos' ? -1 : this.kinds.length - 1
    this.tokens.push({
      id,
      part,
      turn,
      sampled,
      trained: sampled,
      attended: true,
      sampler: Number.NaN,
      trainer: Number.NaN,
      reference: Number.NaN,
      advantage: 0,
    })
  }

  /** Text of the template: turns of the environment and headers of the model's. */
  rendered(text: string): void {
    const { family } = this
    const ids = family.encodeRendered(text)
    ids.forEach((id, at) => {
      if (id === family.bos) this.push(id, 'bos')
      else if (id === family.start) {
        this.kinds.push(kindOf(family, ids, at, this.roles))
        this.state = 'header'
        this.push(id, 'header')
      } else if (this.state === 'header') {
        this.push(id, 'header')
        // Llama's header has a token that closes it, and two newlines after that.
        const closed = family.headerEnd < 0 ? startsLine(family, id) : ids[at - 1] === family.headerEnd
        if (closed) this.state = 'body'
      } else if (id === family.end) {
        this.push(id, 'end')
        this.state = 'outside'
      } else this.push(id, this.state === 'outside' ? 'separator' : 'content')
    })
  }

  prefill(text: string): void {
    for (const id of this.family.tokenizer.encode(text, { specials: true })) this.push(id, 'prefill')
  }

  written(ids: readonly number[]): void {
    for (const id of ids) this.push(id, 'content', true)
  }

  /** What the environment writes inside a turn of the model. */
  spliced(text: string): void {
    for (const id of this.family.tokenizer.encode(text)) this.push(id, 'content')
  }

  closed(sampled: boolean): void {
    this.push(this.family.end, 'end', sampled)
    this.state = 'outside'
  }
}

function startsLine(family: PlantedFamily, id: number): boolean {
  return decoded(family, [id]).startsWith('\n')
}

function kindOf(
  family: PlantedFamily,
  ids: readonly number[],
  at: number,
  roles: Readonly<Record<string, string>>,
): TurnKind {
  const opening = decoded(family, ids.slice(at + 1, at + 12))
  const begins = (role: string) => opening.startsWith(roles[role] ?? role)
  if (begins('system')) return 'system'
  if (begins('assistant')) return 'assistant'
  return begins('ipython') || /^\w+\n\s*<tool_response>/.test(opening) ? 'tool' : 'user'
}
