import { Expected, Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import type { AuditSettings, Check, TrajectoryView } from '../check.ts'
import { carryLoss, edgeBefore, sampledSpan } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { isExample } from '../oracles/prompt-end.ts'
import { hidesTurns, isAsExpected, isSwallowed, realignedMask, shapeOf } from '../oracles/shape.ts'
import { lengthOf, runsOf } from '../oracles/spans.ts'
import { isLoneTail } from './cut-reply-trained.ts'
import { ownReplies } from './own-replies.ts'
import { lookAtPrompts } from './prompt-trained.ts'
import { lookAtUnframedReplies } from './unframed-replies-trained.ts'

export const M01: Check = {
  code: 'M01',
  name: 'tool-output-trained',
  title: 'Tool output or prompt is trained',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask'],
  looksAt:
    'turns and replies that the environment wrote, examples in the prompt, or prompts of a stored length where no turns are known',
  why: 'The model is rewarded for text it did not write: the gradient teaches it to invent tool replies and questions.',
  fix: 'Set the loss mask to 0 for every token that was not sampled (verifiers: mask_env_responses).',
  cite: 'Search-R1#20, slime#1073, TRL#4974',
  ofRoles: true,
  toldBy: ['M05'],
  trajectory(view, settings, report) {
    if (view.segmentation === null || hidesTurns(view)) return
    if (view.segmentation.turns.length === 0) return lookAtUnframedReplies(view, report)
    const plain = plainTurns(view)
    if (plain !== null && !isLoneTail(view, view.segmentation.turns.at(-1) as Turn)) return report.sound(plain.others)
    const looked = lookAtTurns(view, view.segmentation, settings)
    // A row that runs on has trained replies, of which M05 tells: what it has before them proves nothing of it.
    if (isToldByOverrun(view, settings) && looked.every(({ places }) => places.every(({ trained }) => !trained))) return
    const { lag } = shapeOf(view)
    for (const { turn, isExample, places } of looked) {
      const boundary = edgeBefore(view.segmentation, turn)
      for (const { trained } of places) report.place(trained, { turn: turn.ordinal, boundary })
      const faulty = places.filter(({ trained }) => trained)
      if (faulty.length === 0) continue
      // A turn trained whole carries loss on its header and end as well.
      const whole = turn.kind === 'assistant' ? faulty : [turn]
      const affected = whole.flatMap((place) => trainedIn(view, place))
      const count = lengthOf(affected)
      report.fault({
        turn,
        tokens: { start: affected[0]!.start, end: affected.at(-1)!.end },
        affected,
        message: carryLoss(
          count,
          `of ${isExample ? 'an example' : describe(turn)}${isExample || isPrompt(turn) ? ', which belongs to the prompt,' : ''}`,
        ),
        evidence: {
          role: turn.role,
          trained_tokens: count,
          ...(lag === 0 ? {} : { mask_moved_back_by: lag }),
          turn_tokens: lengthOf(whole),
          advantage: view.facts.advantage,
        },
      })
    }
  },
  dump: lookAtPrompts,
}

interface LookedAt {
  readonly turn: Turn
  /** It is one of the prompt's examples, which the model did not write. */
  readonly isExample: boolean
  readonly places: readonly (Span & { readonly trained: boolean })[]
}

/** What is told of each turn but those that another check tells of: the one trained token of a fix-up for cut rows (M17), and what runs on to the end (M05). */
function lookAtTurns(view: TrajectoryView, { turns }: Segmentation, settings: AuditSettings): LookedAt[] {
  // Then all that is trained is expected to be.
  const sound = view.provenance === null && isAsExpected(view)
  const isToldOnce = isToldByOverrun(view, settings)
  const looked: LookedAt[] = []
  for (const turn of turns) {
    if (isLoneTail(view, turn) || (isToldOnce && isSwallowed(view, turn))) continue
    // Supervised data trains the answers of its examples.
    const example = settings.policy.id !== 'sft' && isExample(view, turn)
    const places = (example ? [sampledSpan(turn)] : placesIn(turn)).map(({ start, end }) => {
      const isOwn = sound || ownReplies(view).some((reply) => reply.start === start)
      return { start, end, trained: !isOwn && trainedIn(view, { start, end }).length > 0 }
    })
    looked.push({ turn, isExample: example, places })
  }
  return looked
}

/** What runs on to the end of the row is told once, by M05, if that is asked for. */
function isToldByOverrun(view: TrajectoryView, { options }: AuditSettings): boolean {
  return shapeOf(view).overrun !== null && (options.checks?.includes('M05') ?? true)
}

/** Content that the environment wrote: of a turn of its own, or between tags inside an assistant turn. */
function placesIn(turn: Turn): readonly Span[] {
  if (turn.kind === 'other') return []
  if (turn.kind === 'assistant') return turn.spans.filter(({ part }) => part === 'tool')
  return turn.contentEnd > turn.contentStart ? [{ start: turn.contentStart, end: turn.contentEnd }] : []
}

function trainedIn(view: TrajectoryView, { start, end }: Span): Span[] {
  const { expected, provenance } = view
  const runs = runsOf(realignedMask(view), 1, start, end)
  if (runs.length === 0) return runs
  return runs.filter((run) => {
    // What the model provably wrote is its own, even where it imitates the frame of a reply.
    if (provenance === null) return expected?.[run.start] !== Expected.trained
    for (let i = run.start; i < run.end; i++) {
      // Of what the oracle takes for an answer inside the prompt (C02), a logprob of 0.0 is no proof against.
      const isOwn = provenance[i] === Provenance.sampled || expected?.[i] === Expected.trained
      if (!isOwn) return true
    }
    return false
  })
}

/** What comes before the model's first turn was there before it wrote anything. */
function isPrompt({ kind, ordinal }: Turn): boolean {
  return ordinal === 0 && kind !== 'assistant'
}

function describe(turn: Turn): string {
  if (turn.kind === 'assistant') return 'a tool reply inside an assistant turn'
  if (turn.kind === 'tool')
    return /^(tool|user|ipython|function)$/.test(turn.role) ? 'a tool reply' : 'an environment turn'
  return turn.kind === 'user' ? 'a user turn' : 'the system turn'
}
