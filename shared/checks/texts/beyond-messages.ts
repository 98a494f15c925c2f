import { roleKind } from '../../model/roles.ts'
import type { Message } from '../../model/trajectory.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { BeyondMessages, TrajectoryFacts } from '../facts/facts.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { writesOneBareCall } from '../template/left-out.ts'

/** Messages of the prompt alone, as slime stores them: what was said stands in the ids. */
export function holdPromptAlone(messages: readonly Message[] | null): boolean {
  return messages?.every(({ role }) => ['system', 'user'].includes(roleKind(role))) ?? false
}

/** Which of what follows the messages in the ids a check would hold against them. */
export function beyondMessagesFact(view: TrajectoryView): Pick<TrajectoryFacts, 'beyondMessages'> | null {
  const { trajectory, segmentation, mask } = view
  if (segmentation === null || !holdPromptAlone(trajectory.messages)) return null
  const written = writtenTurns(segmentation)
  if (written.length === 0) return null
  const calls = written.some(({ spans }) =>
    spans.some(({ part, start, end }) => part === 'tool_call' && mask !== null && countOf(mask, 1, start, end) > 0),
  )
  return { beyondMessages: !calls ? 'no calls' : writesOneBareCall(view) ? 'bare calls' : 'calls' }
}

/** A check that holds what the model wrote against its messages cannot look at rollouts of these kinds alone. */
export function abstainBeyondMessages(
  { facts }: DumpView,
  report: DumpReporter,
  what: 'calls' | 'turns',
  ...kinds: readonly BeyondMessages[]
): void {
  const isOne = (kind: unknown) => kinds.includes(kind as BeyondMessages)
  if (new FactColumns(facts).holds('beyondMessages', isOne).includes(1))
    report.abstain(
      'not-checkable',
      `the messages end with the prompt: there are none to hold the trained ${what} against`,
    )
}

/** The ids of some rollout hold replies that no message has, as the messages end with the prompt. */
export function haveRepliesBeyond({ facts }: DumpView): boolean {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('beyondMessages')) return false
  const isBeyond = columns.holds('beyondMessages', (kind) => kind !== undefined)
  return columns.holds('toolTurns', (turns) => turns > 0).some((has, i) => has === 1 && isBeyond[i] === 1)
}
