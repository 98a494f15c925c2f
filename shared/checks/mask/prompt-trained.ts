import { counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import { NO_FITTING_TOKENIZER } from '../../model/streams.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { repliesWithoutTurns } from './unframed-replies-trained.ts'

/**
 * Whether the loss takes all of the prompt, by the length of it that the dump stores. Asked only where the ids show neither turns nor replies: they
 * tell more. A mask that trains some of the prompt may do so for a reason that lies in its turns.
 */
export function trainedPromptFacts(
  trajectory: Trajectory,
  { ids, mask, padding, segmentation, tokenizer }: PreparedTokens,
): Pick<TrajectoryFacts, 'trainedPrompt'> {
  const { promptLength, sampled } = trajectory
  const silent = mask === null || promptLength === null || promptLength <= 0
  if (silent || (segmentation !== null && segmentation.turns.length > 0)) return {}
  const { left, right } = padding
  // Some dumps count the left padding as part of the prompt: the shorter reading claims less.
  const end = promptLength > left ? promptLength : left + promptLength
  if (end >= ids.length - right) return {}
  // Nothing predicts the first token: where a mask marks predictions, it has no place in it.
  const masked = mask.subarray(left + 1, end).some((trains, i) => trains !== 1 || sampled?.[left + 1 + i] === 1)
  if (!masked && end - left >= 2) return { trainedPrompt: [left, end] }
  // Replies tell more than a prompt that is masked.
  return repliesWithoutTurns({ trajectory, ids, segmentation, tokenizer }).length > 0 ? {} : { trainedPrompt: null }
}

/** M01 where no turns are known: what stands before the response is not the model's. */
export function* lookAtPrompts(view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  const isAsked = columns.holds('trainedPrompt', (trainedPrompt) => trainedPrompt !== undefined)
  const asked = view.facts.filter((_, at) => isAsked[at] === 1)
  yield 0.1
  if (!columns.present('trainedPrompt').includes(1)) {
    // A prompt that is masked is not all: replies may be trained, and only turns show them.
    if (!view.streams.has('tokenizer'))
      report.abstain(
        'not-checkable',
        view.isUnframed ? 'the tokenizer frames no turns in the ids' : NO_FITTING_TOKENIZER,
      )
    return
  }
  const look = (facts: TrajectoryFacts) => {
    const prompt = facts.trainedPrompt ?? null
    report.unit(prompt !== null)
    report.place(prompt !== null, { turn: 0 })
    if (prompt === null) return
    const [start, end] = prompt
    report.fault({
      member: facts,
      tokens: { start, end },
      affectedTokens: end - start,
      affectedWeight: Math.min(facts.weight ?? 0, end - start),
      message: `All ${counted(end - start, 'token')} of the prompt carry loss, as long as the dump says that it is; which of them are whose turn needs a tokenizer`,
      evidence: { prompt_tokens: end - start, trained_tokens: facts.trained, tokens: facts.realLength },
    })
  }
  yield* within(0.1, 1, forEachOf(asked, look))
}
