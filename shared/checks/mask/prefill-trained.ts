import { counted } from '../../model/number-text.ts'
import { Provenance, type Span, type Turn } from '../../model/tokens.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { Check, CheckTally, TrajectoryView } from '../check.ts'
import { forcedPrefillEnd } from '../logprobs/forced-prefill.ts'
import { gapOf } from '../logprobs/gap.ts'
import { LARGEST_SHIFT } from '../logprobs/gap-shift.ts'
import { carryLoss, edgeBefore } from '../oracles/edges.ts'
import { openTags, templatesTagEnd } from '../oracles/open-think.ts'
import { isOwnBlock, mayAnswerSwitch } from '../oracles/own-blocks.ts'
import { endsInThinkTag, LONGEST_PREFILL, storedPromptEnd } from '../oracles/prompt-end.ts'
import { padsBehindHeader } from '../oracles/residual-pads.ts'
import { hidesEdges, isSwallowed } from '../oracles/shape.ts'
import { lengthOf, runsOf } from '../oracles/spans.ts'
import { speltMarkers } from '../template/spelt-markers.ts'
import { isDisplacedByBlock } from './drift-by-prefill.ts'

export const M09: Check = {
  code: 'M09',
  name: 'prefill-trained',
  title: 'Template prefill is trained',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'assistant turns that begin with a block of the template',
  why: 'The generation prompt supplies the (empty) think block; training it teaches the model to write what it never chose.',
  fix: 'Begin the trained span after everything the generation prompt adds.',
  cite: 'tinker-cookbook#864, Automodel#3739',
  hiddenBy: ['M06', 'M07'],
  namesUnwritten: true,
  unproved: ({ byBoundary }) => toldOfSwitch(byBoundary),
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    for (const turn of view.segmentation.turns) {
      const end = turn.kind === 'assistant' ? prefillEnd(view, turn) : turn.headerEnd
      if (end === turn.headerEnd) continue
      const trained = trainedTo(view, turn, end)
      const boundary = isUntold(view, turn) ? ASKED : edgeBefore(view.segmentation, turn)
      report.place(trained.length > 0, { turn: turn.ordinal, boundary })
      if (trained.length === 0) continue
      const count = lengthOf(trained)
      const { leftOut } = openTags(view)
      report.fault({
        turn,
        tokens: { start: trained[0]!.start, end: trained.at(-1)!.end },
        affected: trained,
        message: isTemplates(view, turn, end)
          ? carryLoss(count, `of the template's prefill in assistant turn ${turn.ordinal}`)
          : `${carryLoss(count, `at the beginning of assistant turn ${turn.ordinal}`)}, and the dump says that the model did not write ${count === 1 ? 'it' : 'them'}: a prefill${view.trajectory.sampled === null ? ', unless numbers of the sampler were lost' : ''}`,
        evidence: {
          prefill_tokens: end - turn.headerEnd,
          trained_tokens: count,
          ...(leftOut === null ? {} : { left_out_in_assistant_turn: leftOut.turn.ordinal }),
        },
      })
    }
  },
}

/** What stands there is a block, a tag, or what the template's own generation prompt holds. */
function isTemplates({ text, tokenizer }: TrajectoryView, { headerEnd, contentStart }: Turn, end: number): boolean {
  if (contentStart > headerEnd) return true
  const words = text({ start: contentStart, end })
  return /^\s*[<[◁]/.test(words) || words === prefillOf(tokenizer)
}

/** What M09 reports of a turn of the model: runs of trained tokens that its prefill supplied. */
export function trainedPrefill(view: TrajectoryView, turn: Turn): Span[] {
  if (view.tokenizer === null || view.mask === null || turn.kind !== 'assistant' || hidesEdges(view)) return []
  return trainedTo(view, turn, prefillEnd(view, turn))
}

function trainedTo(view: TrajectoryView, turn: Turn, end: number): Span[] {
  const { mask, provenance } = view
  if (isSwallowed(view, turn)) return []
  const runs = runsOf(mask as Uint8Array, 1, turn.headerEnd, end)
  const found = runs.filter(
    (run) =>
      provenance?.[run.start] !== Provenance.sampled &&
      !(end === turn.contentStart && (mayBeOwn(view, turn, run) || isUntold(view, turn))),
  )
  return found.length > 0 && isDisplacedByBlock(view) ? [] : found
}

function mayBeOwn(view: TrajectoryView, turn: Turn, { start }: Span): boolean {
  const { trajectory, segmentation, tokenizer, provenance, writesBlocks, thresholds } = view
  if (segmentation === null || tokenizer === null || provenance?.[start] === Provenance.notSampled) return false
  const { table } = tokenizer
  return isOwnBlock({ trajectory, segmentation, provenance, writesBlocks, thresholds, table }, turn)
}

/** A block of which nothing tells, nor a trainer that denies it, whether a prompt that asks for no thought was answered with it, or a template wrote it. */
function isUntold(view: TrajectoryView, turn: Turn): boolean {
  const { trajectory, segmentation, tokenizer, mask, writesBlocks } = view
  if (segmentation === null || tokenizer === null || mask === null || writesBlocks) return false
  if (turn.kind !== 'assistant') return false
  const { trainer } = trajectory.logprobs
  const denied = view.thresholds['contradicts-zero']
  for (let at = turn.headerEnd; at < turn.contentStart; at++) if ((trainer?.[at] ?? 0) < denied) return false
  return mayAnswerSwitch({ trajectory, segmentation, mask, table: tokenizer.table }, turn)
}

/** Such blocks of a rollout: what they weigh is in doubt with them. */
export function untoldBlocks(view: TrajectoryView): Span[] {
  const turns = view.segmentation?.turns ?? []
  return turns.flatMap((turn) =>
    turn.contentStart > turn.headerEnd && isUntold(view, turn)
      ? [{ start: turn.headerEnd, end: turn.contentStart }]
      : [],
  )
}

/** Where blocks are counted of which that is not known. */
const ASKED = 'user>assistant?'

function toldOfSwitch(byBoundary: CheckTally['byBoundary']): string | null {
  const { checked = 0 } = byBoundary[ASKED] ?? {}
  return checked === 0
    ? null
    : `${counted(checked, 'block')} of the template's ${checked === 1 ? 'is' : 'are'} trained behind a prompt that asks for no thought, with logprobs of exactly 0: a model that answers so is certain of it, and a prefill has the same numbers`
}

/**
 * Token after the prefill: the block that stands between header and content, what the template's own generation prompt begins a turn
 * with, a think tag with which the stored prompt ends or that the trainer contradicts to have been sampled, or words that open the content and,
 * as the dump says, were not sampled while the rest was. A turn of which nothing was sampled has no prefill.
 */
function prefillEnd(view: TrajectoryView, turn: Turn): number {
  const { headerEnd, contentStart, contentEnd } = turn
  const { provenance, text, ids, tokenizer } = view
  if (contentStart > headerEnd) return contentStart
  // Padding that was left there is no template's (M12).
  if (tokenizer?.frame && padsBehindHeader(ids, turn, tokenizer.frame) !== null) return contentStart
  if (provenance !== null) {
    let end = contentStart
    while (end < contentEnd && provenance[end] === Provenance.notSampled) end++
    // Numbers that lie late begin late (L06), in a row whose turns do not show that they also end late.
    if (end - contentStart <= LARGEST_SHIFT && end > contentStart && gapOf(view)?.cause === 'shifted')
      return contentStart
    if (end === contentStart) return promptEndIn(view, turn) ?? forcedPrefillEnd(view, turn) ?? tagEnd(view, turn)
    // Letters that stand for a tag of the model's were put there by whoever encoded its text again (T16), and by no template.
    if (speltMarkers(view, turn).some(({ kind, start }) => kind === 'tag' && start === contentStart))
      return contentStart
    // Of a turn with nothing sampled but its end, the text was written by whoever wrote all of it.
    return end < contentEnd && provenance[end] === Provenance.sampled ? end : contentStart
  }
  const prompt = promptEndIn(view, turn)
  if (prompt !== null) return prompt
  const longest = Math.min(contentEnd, contentStart + LONGEST_PREFILL)
  const prefill = prefillOf(tokenizer)
  if (prefill === '') return tagEnd(view, turn)
  for (let end = contentStart + 1; end <= longest; end++) {
    const words = text({ start: contentStart, end })
    if (words === prefill) return end
    if (!prefill.startsWith(words)) break
  }
  return tagEnd(view, turn)
}

const tagEnd = (view: TrajectoryView, turn: Turn): number => templatesTagEnd(view, turn) ?? turn.contentStart

/** Token behind the think tag with which the stored prompt ends in this turn; null where it does not. */
function promptEndIn(view: TrajectoryView, turn: Turn): number | null {
  const { segmentation, trajectory } = view
  const prompt = segmentation === null ? null : storedPromptEnd(trajectory, segmentation, segmentation.padding)
  return prompt !== null && prompt <= turn.contentEnd && endsInThinkTag(view, turn, prompt) ? prompt : null
}

const prefills = new WeakMap<Tokenizer, string>()

/** What the template's generation prompt holds behind the header. */
function prefillOf(tokenizer: Tokenizer | null): string {
  if (tokenizer === null) return ''
  let prefill = prefills.get(tokenizer)
  if (prefill === undefined) {
    prefill = learnedTemplateOf(tokenizer)?.prefill ?? ''
    prefills.set(tokenizer, prefill)
  }
  return prefill
}
