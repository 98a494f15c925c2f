import { END_WORDS } from '../shared/checks/texts/end-words.ts'
import { count, counted, isOrAre, minus, tokensText } from '../shared/model/number-text.ts'
import type { Finding } from '../shared/model/report.ts'
import { TOKEN_STATE_NAMES, TokenFlag, TokenState } from '../shared/model/tokens.ts'
import { roleText } from '../shared/model/turn-words.ts'
import type { TrajectoryDetail } from '../shared/session/protocol.ts'
import type { Session } from '../shared/session/session.ts'
import type { ParsedArguments } from './arguments.ts'
import { audit } from './audit.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { createTerminal, type Segment, type Style, type Terminal } from './terminal.ts'
import { tellUnread } from './unread.ts'
import { asksForMarks, queryRoot, runQuery } from './where.ts'

/** The glyph in the margin says the state, with or without colour. Index = `TokenState`. */
const GLYPHS = ['·', '█', '░', '?'] as const
const STATE_STYLE: readonly (Style | undefined)[] = ['soft', 'trained', 'padding', undefined]
const LOST_GLYPH = '✂'

/** `show PATH --index N|--id ID|--where QUERY`: one rollout, turn by turn, every token in its state, its findings beneath. */
export async function show(given: ParsedArguments, io: CommandIo): Promise<Exit> {
  const { index, id, where } = given.options
  if ([index, id, where].filter((each) => each !== undefined).length !== 1)
    throw new UsageError(
      'Say which rollout by one of --index N, --id ID and --where QUERY, which takes the first that fits.',
    )
  if (where !== undefined) {
    const root = queryRoot(where as string)
    if (root !== null && asksForMarks(root))
      throw new UsageError(
        '--where: flags, labels and notes are kept by the app and not known here. Ask by what the dump holds, or export what is flagged: export PATH --flags FILE.',
      )
  }
  const { session, unreadable } = await audit(given, io)
  // The place of a rollout is counted over what was read.
  tellUnread(unreadable, io)
  const terminal = createTerminal(io.stdout, io.env)
  const fits = where === undefined ? null : await firstThatFits(session, where as string, io)
  const wanted = fits?.index ?? find(session, index as number | undefined, id as string | undefined)
  const detail = await session.detail(wanted)
  if (fits !== null) terminal.line([{ text: fits.said, style: 'soft' }])
  printHead(terminal, detail, session)
  if (detail.reconstructed) {
    terminal.line([{ text: RECONSTRUCTED, style: 'warn' }])
  }
  if (detail.ids === null) printMessages(terminal, detail)
  else printTokens(terminal, detail)
  printFindings(terminal, detail.findings)
  return Exit.ok
}

/** The first rollout that a query keeps, and where in it. Throws `UsageError` where none fits. */
async function firstThatFits(session: Session, where: string, io: CommandIo): Promise<{ index: number; said: string }> {
  const { indices, hits, sentence } = await runQuery(session, where, null, io)
  const [index] = indices
  if (index === undefined) throw new UsageError(`--where ${where}: there is none of these. ${sentence}`)
  const [start, end, message] = [hits?.starts[0] ?? -1, hits?.ends[0] ?? -1, hits?.messages[0] ?? -1]
  const place =
    start >= 0 ? `, found at ${tokensText(start, end)}` : message >= 0 ? `, found in message ${message}` : ''
  return {
    index,
    said: `the first of ${counted(indices.length, 'rollout')} that ${indices.length === 1 ? 'fits' : 'fit'}${place}`,
  }
}

function find(session: Session, index: number | undefined, id: string | undefined): number {
  const { facts } = session
  if (index !== undefined) {
    if (index < facts.length) return index
    // Rollouts without an id are called by their record, and records without a rollout count too.
    const called = facts.findIndex((row) => row.id === String(index))
    const meant = called < 0 ? '' : ` The one that is called ${index} is --index ${called}, or --id ${index}.`
    throw new UsageError(
      `--index ${index}: there ${isOrAre(facts.length)} ${counted(facts.length, 'rollout')}, from 0 to ${facts.length - 1}.${meant}`,
    )
  }
  const found = facts.flatMap((row, at) => (row.id === id ? [at] : []))
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw new UsageError(`--id ${id}: no rollout has this id.`)
  throw new UsageError(
    `--id ${id}: ${found.length} rollouts have this id. Say which by --index: ${found.slice(0, 10).join(', ')}${found.length > 10 ? ', …' : ''}.`,
  )
}

function printHead(terminal: Terminal, { index, facts }: TrajectoryDetail, session: Session): void {
  const source = session.report().sources[facts.place.source]?.name ?? ''
  const part = facts.place.part > 0 ? `, part ${facts.place.part}` : ''
  terminal.line([
    { text: `rollout ${facts.id}`, style: 'strong' },
    `  index ${index}, record ${facts.place.record}${part} of `,
    source,
  ])
  const told = [
    facts.group === null ? null : `group ${facts.group}`,
    facts.step === null ? null : `step ${facts.step}`,
    facts.reward === null ? null : `reward ${minus(String(facts.reward))}`,
    facts.advantage === null ? null : `advantage ${minus(String(facts.advantage))}`,
    facts.excluded ? 'excluded from the loss' : null,
    facts.finishReason === null ? null : `finish reason ${facts.finishReason}`,
    facts.endReason === 'unknown' ? null : `end: ${END_WORDS[facts.endReason]}`,
  ]
  terminal.line(told.filter((text) => text !== null).join(', '))
}

function printTokens(terminal: Terminal, detail: TrajectoryDetail): void {
  const counts = TOKEN_STATE_NAMES.map((_, state) => detail.states.reduce((sum, s) => sum + (s === state ? 1 : 0), 0))
  const legend = TOKEN_STATE_NAMES.map((name, state) => `${GLYPHS[state]} ${count(counts[state] as number)} ${name}`)
  terminal.line(`${counted(detail.states.length, 'token')}: ${legend.join('  ')}`)
  const turns = detail.segmentation?.turns ?? []
  const starts = new Set(turns.map(({ start }) => start))
  // Edges of turns and states cut the sequence into stretches that are one thing each.
  let from = 0
  for (let at = 0; at <= detail.states.length; at++) {
    const edge =
      at === detail.states.length || starts.has(at) || at === 0 || detail.states[at] !== detail.states[at - 1]
    const gaps = detail.lost.filter((lost) => lost.at === at)
    if (!edge && gaps.length === 0) continue
    if (at > from) printStretch(terminal, detail, from, at)
    from = at
    for (const gap of gaps) {
      const length = gap.tokens === null ? 'text of unknown length' : counted(gap.tokens, 'token')
      terminal.line([{ text: `${LOST_GLYPH} ${length} lost: `, style: 'lost' }, gap.what], 2)
      if (gap.text !== null) printRows(terminal, [{ text: gap.text, style: 'lost' }], LOST_GLYPH)
    }
    const turn = turns.find(({ start, end }) => start === at && end > at)
    if (turn !== undefined) {
      terminal.line()
      const codes = detail.findings
        .filter(({ turn: at, intended }) => at === turn.index && intended !== true)
        .map(({ code }) => code)
      const ordinal = turn.kind === 'assistant' ? ` ${turn.ordinal}` : ''
      // A tool's reply inside a user turn is told as what it is, with the role that the ids spell.
      const role =
        turn.kind === turn.role || turn.kind === 'other' ? roleText(turn) : `${turn.kind} (${roleText(turn)})`
      const header = turn.header === 'present' ? '' : `, header ${turn.header}`
      terminal.line([
        { text: `turn ${turn.index}  ${role}${ordinal}`, style: 'strong' },
        { text: `  ${tokensText(turn.start, turn.end)}${header}`, style: 'soft' },
        ...(codes.length > 0 ? [{ text: `  ⚠ ${[...new Set(codes)].join(' ')}`, style: 'bad' } as const] : []),
      ])
    }
  }
}

function printStretch(terminal: Terminal, detail: TrajectoryDetail, from: number, to: number): void {
  const state = detail.states[from]!
  const glyph = GLYPHS[state] ?? '?'
  if (state === TokenState.padding && to - from > 8) {
    terminal.line([{ text: `${glyph} ${counted(to - from, 'padding token')}`, style: 'soft' }])
    return
  }
  const segments: Segment[] = []
  for (let token = from; token < to; token++) {
    const text = detail.text.slice(detail.textOffsets[token], detail.textOffsets[token + 1])
    const style: Style | undefined = (detail.flags[token]! & TokenFlag.special) !== 0 ? 'special' : STATE_STYLE[state]
    const last = segments.at(-1)
    if (last !== undefined && last.style === style) segments[segments.length - 1] = { ...last, text: last.text + text }
    else segments.push(style === undefined ? { text } : { text, style })
  }
  printRows(terminal, segments, glyph)
}

/** Text under its glyph; a newline of the text is shown and then done. */
function printRows(terminal: Terminal, segments: readonly Segment[], glyph: string): void {
  let row: Segment[] = []
  const flush = () => {
    if (row.length > 0) terminal.line([`${glyph} `, ...row], `${glyph} `)
    row = []
  }
  for (const segment of segments) {
    const lines = segment.text.split('\n')
    for (const [i, text] of lines.entries()) {
      const ended = i < lines.length - 1
      if (text !== '' || ended) row.push({ ...segment, text: ended ? `${text}⏎` : text })
      if (ended) flush()
    }
  }
  flush()
}

const RECONSTRUCTED =
  '⚠ reconstructed: no token ids in this dump, these are its messages rendered through the chat template; which of them carry loss is unknown'

function printMessages(terminal: Terminal, detail: TrajectoryDetail): void {
  terminal.line('no token ids in this dump: the conversation as its messages hold it')
  for (const message of detail.messages ?? []) {
    terminal.line()
    terminal.line([{ text: message.role, style: 'strong' }])
    if (message.reasoning) printRows(terminal, [{ text: message.reasoning, style: 'soft' }], ' ')
    if (message.content) printRows(terminal, [{ text: message.content }], ' ')
    for (const call of message.toolCalls ?? []) terminal.line(['  calls ', `${call.name}(${call.arguments})`], 4)
  }
}

function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  terminal.line()
  if (findings.length === 0) terminal.line([{ text: 'no findings', style: 'good' }])
  for (const { code, severity, turn, tokens, message, intended } of findings) {
    const where = [
      turn === null ? null : `turn ${turn}`,
      tokens === null ? null : tokensText(...tokens),
      intended === true ? 'intended' : null,
    ].filter((text) => text !== null)
    terminal.line(
      [
        {
          text: `${severity.padEnd(8)}${code} `,
          style: severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'soft',
        },
        message,
        ...(where.length > 0 ? [{ text: ` (${where.join(', ')})`, style: 'soft' } as const] : []),
      ],
      12,
    )
  }
}
