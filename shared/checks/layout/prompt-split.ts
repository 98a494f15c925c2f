import { counted } from '../../model/number-text.ts'
import { Provenance, type Turn } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { answerInsidePrompt, endsInThinkTag, responseInsidePrompt, storedPromptEnd } from '../oracles/prompt-end.ts'
import { listOf } from '../oracles/spans.ts'
import { splitPrefillEnd } from '../oracles/split-prefill.ts'

/** S05. A stored prompt length that leaves the generation prompt or its last tokens out, lies inside a header, inside a turn of the environment, or after words that are trained. */
export const S05: Check = {
  code: 'S05',
  name: 'prompt-split-off',
  title: 'Prompt and response are split at the wrong place',
  hypotheses: [],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'stored prompt lengths of rollouts with turns of the assistant',
  why: 'Whatever is cut, masked or measured by the prompt length takes tokens of the prompt for the response, or the other way round.',
  fix: 'Take the prompt length from the ids of the rendered prompt with its generation prompt, after padding is set aside.',
  cite: 'no thread known',
  trajectory(view, _settings, report) {
    const { segmentation, trajectory } = view
    const stored = trajectory.promptLength
    if (segmentation === null || stored === null) return
    const { left, right } = segmentation.padding
    const end = view.ids.length - right
    // A prompt length counts the left padding in some dumps and not in others.
    const candidates = left === 0 ? [stored] : [left + stored, stored]
    const inside = candidates.filter((at) => at > left && at < end)
    // All of the row is prompt, as of a rollout that was aborted before its first token.
    if (left + stored === end && (segmentation.endsWithGenerationPrompt || view.mask?.includes(1) === false)) return
    if (inside.length === 0 || !segmentation.turns.some(({ kind }) => kind === 'assistant')) return
    // There the length is right, and it is the prompt that was cut (C02).
    const answered = answerInsidePrompt(trajectory, view.mask, segmentation) ?? responseInsidePrompt(view)
    const isCut = answered !== null && inside.includes(answered.at)
    const isWrong = !isCut && inside.every((at) => problemAt(view, at) !== null)
    report.place(isWrong)
    if (!isWrong) return
    const meant = storedPromptEnd(trajectory, segmentation, segmentation.padding)
    const at = inside.find((place) => place === meant) ?? (inside[0] as number)
    const problem = problemAt(view, at)
    report.fault({
      scope: 'trajectory',
      tokens: { start: at, end: at + 1 },
      affected: [],
      message: `The prompt length of ${stored} does not end at a generation prompt: ${problem}`,
      evidence: {
        prompt_length: stored,
        padding_left: left,
        last_prompt_ids: listOf(view.ids, Math.max(left, at - 6), at),
        last_prompt_text: view.text({ start: Math.max(left, at - 6), end: at }),
        first_response_ids: listOf(view.ids, at, Math.min(end, at + 6)),
        first_response_text: view.text({ start: at, end: Math.min(end, at + 6) }),
      },
    })
  },
}

/** What is wrong with a split before token `at`; null where it lies behind a header, at another edge of turns, or where sampled text may begin. */
function problemAt(view: TrajectoryView, at: number): string | null {
  const turn = view.segmentation?.turns.find(({ start, end }) => start <= at && at < end)
  if (turn === undefined || turn.kind === 'other' || turn.header !== 'present') return null
  // A header that the model wrote itself is no part of the prompt.
  const lacksHeader = at === turn.start && turn.kind === 'assistant' && view.provenance?.[at] !== Provenance.sampled
  if (at === turn.start) return lacksHeader ? `it lies before the header of assistant turn ${turn.ordinal}` : null
  // Between the end token and its newline, and before the end token, a response of the template's own may begin.
  if (at >= turn.contentEnd) return null
  const name = turn.kind === 'assistant' ? `assistant turn ${turn.ordinal}` : `a ${turn.kind} turn`
  if (at < turn.headerEnd) return `it lies inside the header of ${name}`
  if (turn.kind === 'assistant') return problemInTurn(view, turn, at, name)
  return at === turn.headerEnd ? null : `it lies inside ${name}`
}

/** Prompts may begin the model's turn for it; what they hold of it was then not sampled and carries no loss. */
function problemInTurn(view: TrajectoryView, turn: Turn, at: number, name: string): string | null {
  const { mask, provenance } = view
  const prefillEnd = splitPrefillEnd(view, turn, at)
  if (prefillEnd !== null)
    return `it lies inside the prefill of ${name}, ${counted(prefillEnd - at, 'token')} before its end`
  if (at <= turn.contentStart || mask === null) return null
  // Generation prompts end with a think tag: where that is trained, it is M09.
  if (endsInThinkTag(view, turn, at)) return null
  let trained = 0
  for (let i = turn.contentStart; i < at; i++) {
    // What provably nobody sampled is the prompt's, and M09 where it is trained.
    if (mask[i] === 1 && provenance?.[i] !== Provenance.notSampled) trained++
  }
  return trained === 0 ? null : `it lies inside ${name}, after ${counted(trained, 'trained token')}`
}
