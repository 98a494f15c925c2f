import { count } from '../../model/number-text.ts'
import { Expected, Provenance, type Span, type Turn } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { edgeBefore, sampledSpan, tokenCount, writtenTurns } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { hidesTurns, isAsExpected, realignedMask } from '../oracles/shape.ts'
import { countOf, lengthOf, runEnd, runsOf } from '../oracles/spans.ts'
import { MASK_UNKNOWN } from '../oracles/states.ts'
import { toldOfUnproved, unprovedTurns } from '../oracles/unproved-turns.ts'
import { isForged } from '../template/forged-control.ts'
import { hasBrokenCall } from './broken-call.ts'
import { longestLeftOut } from './by-token.ts'
import { versionsBesideMasked, versionsText } from './earlier-versions.ts'
import { thoughtsAlone } from './masked-thoughts.ts'

export const M03: Check = {
  code: 'M03',
  name: 'assistant-turn-masked',
  title: 'Assistant turn is masked out, or trained against the policy',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'assistant turns beside one that is trained',
  why: 'A turn that earned the reward gets no gradient, or one that is meant to get none does: other decisions of a rollout are learned than the run means to teach.',
  fix: 'Train every sampled turn, or declare --policy last-turn if only the last is meant; where that is declared, set the mask of the turns before it to 0.',
  cite: 'ms-swift#7838, slime#1563, transformers#34494',
  ofRoles: true,
  trajectory(view, { policy }, report) {
    if (view.segmentation === null || hidesTurns(view)) return
    const written = writtenTurns(view.segmentation)
    const plain = plainTurns(view)
    if (plain !== null && written.length > 1) return report.sound(plain.written)
    const lastTurnOnly = policy.id === 'last-turn'
    const trainsEmpty = !lastTurnOnly && trainsAnEmptyTurn(view)
    // The only turn of a rollout cannot be left out beside others: without loss it is M04.
    if (written.length < 2 && !trainsEmpty) return
    const turns: Coverage[] = []
    for (const turn of written) {
      const coverage = coverageOf(view, turn)
      if (coverage === null || (coverage.trained === 0 && isOthersMatter(view, turn))) continue
      turns.push(coverage)
    }
    // A row that trains no assistant turn at all trains something else; that is another fault's name.
    const someTrained = trainsEmpty || turns.some(({ trained }) => trained > 0)
    if (!someTrained && !lastTurnOnly) return
    const last = turns.at(-1)?.turn
    // A format that trains the last turn by default has a switch for the others (Atropos): only a person's word is held against the mask.
    const isDeclared = lastTurnOnly && policy.origin === 'given'
    const heldTo = isDeclared ? written.at(-1) : undefined
    const explained = lastTurnOnly ? NOTHING : explanationOf(view, turns)
    let hasTrained = false
    for (const { turn, trained } of turns) {
      const masked = trained === 0
      const against = !masked && heldTo !== undefined && turn !== heldTo
      // Where the trained last turn is not an assistant's, M01 names it; the assistant turns before it are masked as declared.
      // Neither side of that switch leaves out a turn behind one that it trains.
      const intended = lastTurnOnly && (isDeclared || !hasTrained) && (turn !== last || !someTrained)
      hasTrained ||= !masked
      const faulty = against || (masked && !intended)
      report.place(faulty, { turn: turn.ordinal, boundary: edgeBefore(view.segmentation, turn) })
      if (!masked && !against) continue
      const withLoss = writtenWith(view, turn, 1)
      const withoutLoss = writtenWith(view, turn, 0)
      const affected = against ? withLoss : withoutLoss
      const tokens = lengthOf(withLoss) + lengthOf(withoutLoss)
      // What a masked turn trains all the same is its end token.
      const none =
        withLoss.length > 0 ? `only its end token, of ${tokenCount(tokens)},` : `none of its ${tokenCount(tokens)}`
      report.fault({
        turn,
        scope: 'turn',
        tokens: { start: affected[0]!.start, end: affected.at(-1)!.end },
        affected,
        ...(explained === '' ? {} : { severity: 'info' as const }),
        intended: !faulty || (policy.intended.includes('M03') && !lastTurnOnly),
        message: against
          ? `Assistant turn ${turn.ordinal} is trained, ${count(lengthOf(withLoss))} of its ${tokenCount(tokens)}; the declared policy trains the last assistant turn alone`
          : `Assistant turn ${turn.ordinal} is masked out: ${none} carries loss${explained}`,
        evidence: { turn_tokens: tokens, coverage: turns.map((each) => each.trained / each.sampled) },
      })
    }
  },
  unproved: (tally, dump) => toldOfUnproved(unprovedTurns(tally, dump), dump),
}

const NOTHING = ''

/** Why a trainer may have left out all masked turns on purpose, as the end of a sentence; nothing where one of them has no such reason. */
function explanationOf(view: TrajectoryView, turns: readonly Coverage[]): string {
  const masked = turns.filter(({ trained }) => trained === 0).map(({ turn }) => turn)
  if (masked.length === 0) return NOTHING
  if (masked.every((turn) => hasBrokenCall(view, turn))) {
    return '. Its tool call cannot be parsed, and every turn without such a call is trained: some trainers leave out parse errors on purpose'
  }
  const versions = versionsBesideMasked(view, masked)
  if (versions === null) return NOTHING
  return `. Policy versions ${versionsText(versions)} sampled this rollout, and nothing before what is trained has loss: some trainers leave out on purpose what an earlier version wrote`
}

/** A turn that the model closed with nothing in it is trained: its end token carries loss. */
function trainsAnEmptyTurn({ mask, expectedRl, segmentation }: TrajectoryView): boolean {
  return (segmentation?.turns ?? []).some(
    ({ kind, contentStart, contentEnd, endToken }) =>
      kind === 'assistant' &&
      contentStart === contentEnd &&
      mask?.[endToken] === 1 &&
      expectedRl?.[endToken] === Expected.trained,
  )
}

/**
 * A masked turn that nobody meant to train: not the model's, nothing but a thought where all thoughts are masked, of which M16 tells, or one so short that a
 * mask which chooses tokens leaves out as many in a row amid other turns.
 */
function isOthersMatter(view: TrajectoryView, turn: Turn): boolean {
  if (isEnvironments(view, turn) || thoughtsAlone(view).has(turn)) return true
  const most = longestLeftOut(view)
  return most > 0 && lengthOf(writtenWith(view, turn, 0)) <= most
}

/** Text that only follows a reply, or a header that a document forged: masked, and with nothing that says that the model wrote it. */
function isEnvironments(view: TrajectoryView, turn: Turn): boolean {
  const { provenance } = view
  if (provenance !== null && countOf(provenance, Provenance.sampled, turn.contentStart, turn.contentEnd) > 0)
    return false
  return turn.header === 'missing' || isForged(view, turn)
}

/** Where the mask has this value on what the model wrote of a turn, the end token with it. */
function writtenWith(view: TrajectoryView, turn: Turn, value: 0 | 1): Span[] {
  const { expectedRl } = view
  if (view.mask === null || expectedRl === null) return []
  const mask = realignedMask(view)
  const { start, end } = sampledSpan(turn)
  const written = runsOf(expectedRl, Expected.trained, start, end)
  return written.flatMap((run) => runsOf(mask, value, run.start, run.end))
}

/** How much of a turn's content was sampled, and trained. */
interface Coverage {
  readonly turn: Turn
  readonly trained: number
  readonly sampled: number
}

/** Null where nothing can call the turn sampled in this rollout. */
function coverageOf(view: TrajectoryView, turn: Turn): Coverage | null {
  const { expected, expectedRl, provenance } = view
  // Of a mask that lies off, what it says of a turn: a short one that it misses is trained.
  const mask = view.mask === null ? null : realignedMask(view)
  const agrees = expected === expectedRl && isAsExpected(view)
  let sampled = 0
  let trained = 0
  for (let at = turn.contentStart, to = at; at < turn.contentEnd && expectedRl !== null; at = to) {
    to = runEnd(expectedRl, at, turn.contentEnd)
    if (expectedRl[at] !== Expected.trained) continue
    sampled += to - at - (mask === null || agrees ? 0 : countOf(mask, MASK_UNKNOWN, at, to))
    trained += agrees ? to - at : mask === null ? 0 : countOf(mask, 1, at, to)
  }
  // A turn of which no token is known to be sampled, in a dump that knows it of others, is an example or an earlier rollout's.
  const told =
    provenance === null ||
    countOf(provenance, Provenance.sampled, turn.contentStart, turn.contentEnd) > 0 ||
    !provenance.includes(Provenance.sampled)
  return sampled === 0 || (!told && trained === 0) ? null : { turn, trained, sampled }
}
