import { roleKind } from '../../model/roles.ts'
import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { Message } from '../../model/trajectory.ts'
import { turnStarts } from '../../tokens/frame-lookup.ts'
import { bytesOf } from '../../tokens/table.ts'
import type { Tokenizer, TokenTable, TurnFrame } from '../../tokens/tokenizer.ts'
import type { Check, DumpView, Reporter, TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { paddingOf } from '../oracles/padding.ts'
import { haveRepliesBeyond, holdPromptAlone } from '../texts/beyond-messages.ts'
import { normalised } from '../texts/normalised-text.ts'
import { isTorn, repliesOf } from '../truncation/cut-replies.ts'
import { isTornQuote } from '../truncation/torn-quote.ts'

/** T15. Text of a message that spells a control token and became one: a forged turn. */
export const T15: Check = {
  code: 'T15',
  name: 'control-token-from-text',
  title: 'Text of a message became a control token',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt:
    'user, system or tool messages, other than rendered prompts, that spell a control token; replies between tags or quotes that no message has',
  why: 'A document can end its own turn and begin another in any role: the turns, the mask and the policy follow the forgery.',
  fix: 'Encode the text of messages without special tokens (split_special_tokens=True), and only the frame with them.',
  cite: 'transformers#29279, transformers#47853, verifiers#1068',
  trajectory(view, _settings, report) {
    const { segmentation, trajectory } = view
    if (segmentation === null) return
    if (trajectory.messages === null || holdPromptAlone(trajectory.messages)) lookAtReplies(view, segmentation, report)
    if (trajectory.messages === null) return
    const reported = new Set<number>()
    for (const { spelt, at } of speltIn(view)) {
      // Texts that spell none cannot show what the encoder does with them: where all that do became tokens, it makes tokens of all.
      report.place(at !== null)
      if (at === null) continue
      const turn = segmentation.turns.find(({ start, end }) => start <= at && at < end) ?? null
      if (reported.has(turn?.index ?? -1)) continue
      reported.add(turn?.index ?? -1)
      report.fault({
        turn,
        tokens: { start: at, end: at + 1 },
        affected: turn === null ? [{ start: at, end: at + 1 }] : [forgedSpan(turn, at)],
        message: `${JSON.stringify(spelt.literal)} in the text of a ${spelt.role} message became control token ${spelt.id}`,
        evidence: {
          id: spelt.id,
          message: spelt.message,
          text: `${spelt.before}${spelt.literal}${spelt.after}`,
          turns_in_ids: segmentation.turns.length,
          messages: trajectory.messages?.length ?? 0,
        },
      })
    }
  },
  dump(view, report) {
    const lack = lackOf(view)
    if (lack !== null) report.abstain('not-checkable', lack)
  },
  unproved(_tally, view) {
    const lack = lackOf(view)
    return lack === null
      ? null
      : `${lack}: of what their texts spell, only what tears a reply from its closing tag or quote can be seen in the ids`
  },
}

function lackOf(view: DumpView): string | null {
  if (!view.streams.has('messages')) return 'the dump does not carry messages'
  return haveRepliesBeyond(view)
    ? 'the messages end with the prompt, and none of them is a reply that the ids hold'
    : null
}

/** Where no message has the replies a forged turn is told by the one that it stands in: that ends without what closes it, and this comes behind. */
function lookAtReplies(view: TrajectoryView, segmentation: Segmentation, report: Reporter): void {
  const { ids, tokenizer, provenance } = view
  if (tokenizer === null) return
  for (const reply of repliesOf(segmentation)) {
    const ofTags = isTorn(tokenizer.table, ids, segmentation, reply)
    const torn = ofTags ?? isTornQuote(tokenizer.table, ids, segmentation, reply)
    if (torn === null) continue
    const { turn } = reply
    const at = turn.endToken
    const isForgedEnd = torn && provenance?.[at] !== Provenance.sampled
    report.place(isForgedEnd)
    if (!isForgedEnd) continue
    report.fault({
      turn,
      severity: 'warning',
      tokens: { start: at, end: at + 1 },
      message: `A reply ends before its closing ${ofTags === null ? 'quote' : 'tag'}, which stands behind another turn: its text became control tokens`,
      evidence: {
        id: ids[at],
        text: view.text({ start: at, end: segmentation.turns[turn.index + 1]?.headerEnd ?? at + 1 }),
      },
    })
  }
}

interface Spelling {
  readonly spelt: SpeltControl
  /** Token that it became; null where the ids spell it, too. */
  readonly at: number | null
}

const known = new OfLast<TrajectoryView, readonly Spelling[]>()

function speltIn(view: TrajectoryView): readonly Spelling[] {
  let found = known.get(view)
  if (found === undefined) {
    const { tokenizer, trajectory, thresholds } = view
    const context = thresholds['control-context-characters']
    const controls = tokenizer === null ? [] : speltControls(trajectory.messages ?? [], tokenizer, context)
    found = controls.map((spelt) => ({ spelt, at: forgedAt(view, spelt) }))
    known.set(view, found)
  }
  return found
}

/** Whether the header of a turn is text of a message that became control tokens: then nobody wrote the turn but the environment. */
export function isForged(view: TrajectoryView, { start, headerEnd }: Turn): boolean {
  return speltIn(view).some(({ at }) => at !== null && start <= at && at < headerEnd)
}

/** Whether a turn without a header is the rest of a message that spelt an end token. */
export function followsForgedEnd(view: TrajectoryView, { header, index }: Turn): boolean {
  const before = view.segmentation?.turns[index - 1]
  return header !== 'present' && before !== undefined && speltIn(view).some(({ at }) => at === before.endToken)
}

interface SpeltControl {
  readonly id: number
  readonly literal: string
  readonly role: string
  readonly message: number
  readonly before: string
  readonly after: string
}

/** Occurrences in one row that are looked at: a document about templates may have hundreds, one of which proves enough. */
const MOST = 32

const decoder = new TextDecoder()

/** Control tokens that the environment's messages spell. A message that begins with one is a rendered prompt. */
function speltControls(messages: readonly Message[], { frame, table }: Tokenizer, context: number): SpeltControl[] {
  if (frame === null) return []
  const { literals, opening } = controlsOf(frame, table)
  const found: SpeltControl[] = []
  for (const [index, { role, content }] of messages.entries()) {
    if (content === null || !content.includes(opening) || roleKind(role) === 'assistant') continue
    const rendered = literals.some(({ literal }) => content.trimStart().startsWith(literal))
    if (rendered) continue
    for (const { id, literal } of literals) {
      for (let at = content.indexOf(literal); at >= 0 && found.length < MOST; at = content.indexOf(literal, at + 1)) {
        const before = wordsBefore(content, at, context, literals)
        const after = wordsAfter(content, at + literal.length, context, literals)
        found.push({ id, literal, role, message: index, before, after })
      }
    }
  }
  return found
}

interface Controls {
  readonly literals: readonly { readonly id: number; readonly literal: string }[]
  /** How all of them begin: most texts do not have even that. */
  readonly opening: string
}

const controls = new WeakMap<TurnFrame, Controls>()

function controlsOf(frame: TurnFrame, table: TokenTable): Controls {
  let found = controls.get(frame)
  if (found === undefined) {
    const ids = [...turnStarts(frame), frame.headerEnd, ...frame.turnEnds, ...frame.bos, ...frame.textEnds]
    const literals = [...new Set(ids.filter((id) => id >= 0))].map((id) => ({
      id,
      literal: decoder.decode(bytesOf(table, id)),
    }))
    let opening = literals[0]?.literal ?? ''
    while (!literals.every(({ literal }) => literal.startsWith(opening))) opening = opening.slice(0, -1)
    found = { literals, opening }
    controls.set(frame, found)
  }
  return found
}

/**
 * `context` characters of text, before any more control tokens: where a text ends with the header of a turn, the end of a turn before it and the role
 * behind it stand at every turn.
 */
function wordsBefore(
  content: string,
  end: number,
  context: number,
  literals: readonly { readonly literal: string }[],
): string {
  let start = Math.max(0, end - context)
  for (let more = 0; more < MOST_IN_A_ROW; more++) {
    const past = literals.map(({ literal }) => {
      const at = content.indexOf(literal, Math.max(0, start - literal.length))
      return at < 0 || at >= end ? end : at - context
    })
    start = Math.max(0, Math.min(start, ...past))
  }
  return content.slice(start, end)
}

/** `context` characters of text, behind any more control tokens: a forged header looks like a real one but for the words after it. */
function wordsAfter(
  content: string,
  start: number,
  context: number,
  literals: readonly { readonly literal: string }[],
): string {
  let end = start + context
  for (let more = 0; more < MOST_IN_A_ROW; more++) {
    const past = literals.map(({ literal }) => {
      const at = content.lastIndexOf(literal, end)
      return at < start ? 0 : at + literal.length + context
    })
    end = Math.max(end, ...past)
  }
  return content.slice(start, end)
}

/** The end of a turn and the header of the next are three. */
const MOST_IN_A_ROW = 4

/**
 * Where the ids hold the control token between the same words; null where they spell it, or do not hold that text. Where a message ends with it, it may
 * be the turn's own end, which was stored with the text: then a turn begins behind it. Behind a forged one what the template writes is still to come.
 */
function forgedAt(view: TrajectoryView, { id, before, after }: SpeltControl): number | null {
  const { ids, text, thresholds } = view
  // As many tokens as characters hold the same words and more.
  const context = thresholds['control-context-characters']
  const left = normalised(before)
  const right = normalised(after)
  if (left === '') return null
  for (let at = ids.indexOf(id); at >= 0; at = ids.indexOf(id, at + 1)) {
    const seenBefore = normalised(text({ start: Math.max(0, at - Math.max(context, before.length)), end: at }))
    const seenAfter = normalised(
      text({ start: at + 1, end: Math.min(ids.length, at + 1 + Math.max(context, after.length)) }),
    )
    if (!meets(seenBefore.endsWith(left), left)) continue
    if (right === '' ? endsBeforeItsTurn(view, at) : meets(seenAfter.startsWith(right), right)) return at
  }
  return null
}

/** Whether the next control token behind one that ends a text of the environment is the end of a turn: that of the one which the text stands in. */
function endsBeforeItsTurn(view: TrajectoryView, at: number): boolean {
  const { ids, segmentation, tokenizer } = view
  const frame = tokenizer?.frame ?? null
  // The model may say the same words, and a trainer may add a second end to what it says (M16).
  const turn = segmentation?.turns.find(({ start, end }) => start <= at && at < end)
  if (frame === null || turn === undefined || turn.kind === 'assistant') return false
  const others = [...turnStarts(frame), ...frame.bos, ...frame.textEnds]
  for (let i = at + 1; i < ids.length - paddingOf(view).right; i++) {
    const next = ids[i] as number
    if (frame.turnEnds.includes(next)) return true
    if (others.includes(next)) return false
  }
  return false
}

/** A single letter on one side is found by chance. */
function meets(found: boolean, text: string): boolean {
  return found && text.length > 1
}

function forgedSpan(turn: Turn, at: number) {
  return at === turn.start ? { start: turn.start, end: turn.end } : { start: at, end: at + 1 }
}
