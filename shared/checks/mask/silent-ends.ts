import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { appendedBelow } from '../oracles/appended-ends.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { choosesTokens } from './by-token.ts'

/**
 * What the last turn of a rollout ends behind, where that end is in the loss with a logprob of its own, or where none of its ends has either; null of every
 * other, and where the format tells who wrote an end.
 */
export function endFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'endBehind' | 'silentEnds'> | null {
  const { ids, segmentation, provenance, mask } = view
  if (segmentation === null || provenance === null || mask === null) return null
  const written = writtenTurns(segmentation)
  const last = written.at(-1)
  if (last === undefined || last.endToken < 0) return null
  // What a later turn begins with was not sampled: a format that says so outright says it of ends as well.
  if (written.length > 1 && provenance[last.headerEnd - 1] !== Provenance.silent) return null
  const endBehind = ids[last.endToken - 1] as number
  if (mask[last.endToken] === 1) return provenance[last.endToken] === Provenance.sampled ? { endBehind } : null
  if (!written.every((turn) => endsSilent(turn, mask, provenance)) || mayBeAppended(view, written)) return null
  return hidesEdges(view) || choosesTokens(view)
    ? null
    : { endBehind, silentEnds: written.map(({ endToken }) => endToken) }
}

/** All of the turn is the model's, and trained up to an end of which only the mask says anything. */
function endsSilent({ contentEnd, endToken, spans }: Turn, mask: Uint8Array, provenance: Uint8Array): boolean {
  if (endToken < 0 || mask[endToken] !== 0 || provenance[endToken] !== Provenance.silent) return false
  return mask[contentEnd - 1] === 1 && spans.every(({ part }) => part !== 'tool')
}

/** The rollout itself says that its last end is no sampled one: a limit or a string ended it, it may be padding, or the trainer denies its logprob. */
function mayBeAppended(view: TrajectoryView, written: readonly Turn[]): boolean {
  const { ids, trajectory, mask, tokenizer, thresholds } = view
  const { finishReason, isTruncated, logprobs } = trajectory
  if (isTruncated === true || isLengthStop(finishReason) || /stop_(string|sequence)/.test(finishReason ?? ''))
    return true
  const last = (written.at(-1) as Turn).endToken
  if (last === ids.length - 1 && (tokenizer?.frame?.pad.includes(ids[last] as number) ?? false)) return true
  const below = appendedBelow(trajectory, mask, view.segmentation as Segmentation, thresholds)
  return below !== null && written.some(({ endToken }) => (logprobs.trainer?.[endToken] ?? 0) < below)
}

/** Fewer siblings that train their ends show no custom. */
const FEWEST_TRAINED = 2

/**
 * Ends without loss and without a logprob of their own, of all turns of a rollout: a string may have stopped it. Other rows tell, where the ends of nearly
 * all are in the loss as the model wrote them: of the same environment, since another may stop on strings, of most of its group, and behind the same last
 * token, since a string that stops the model is one that its other answers do not go on behind, and a limit cuts anywhere.
 */
export function* lookAtSilentEnds({ facts, groups, settings }: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('silentEnds')) return
  const [alike, beside] = [new EndCounts(), new EndCounts()]
  yield* forEachOf(columns.having('endBehind'), (member) => {
    alike.add(environmentOf(member), member)
    beside.add(lastOf(member), member)
  })
  const most = settings.thresholds['silent-ends-share']
  const few = columns.having('silentEnds').filter((member) => {
    const { trained, silent } = alike.of(environmentOf(member))
    return silent <= most * (trained + silent) && mostTrain(beside.of(lastOf(member)))
  })
  if (few.length === 0) return
  const amongOthers = new Set(few)
  yield* forEachOf(groups, ({ id, members }) => {
    const own = members.filter((member) => amongOthers.has(member))
    if (own.length === 0) return
    const siblings = new EndCounts()
    for (const member of members) if (member.endBehind !== undefined) siblings.add(id, member)
    if (!mostTrain(siblings.of(id))) for (const member of own) amongOthers.delete(member)
  })
  for (const member of amongOthers) tell(member, alike.of(environmentOf(member)), report)
}

function tell(member: TrajectoryFacts, { trained, silent }: Ends, report: DumpReporter): void {
  const ends = member.silentEnds as readonly number[]
  const first = ends[0] as number
  report.unit(true)
  for (let i = 0; i < ends.length; i++) report.place(true)
  report.fault({
    member,
    tokens: { start: first, end: first + 1 },
    affectedTokens: ends.length,
    message: `${whichEnds(ends)} not trained, and in ${counted(trained, 'other rollout')} the model wrote its end tokens and all are trained. A warning and no error: of these the dump does not tell whether the model wrote them or the framework did`,
    severity: 'warning',
    evidence: { ends, sampled: null, trained_in: trained, not_trained_in: silent },
  })
}

function whichEnds(ends: readonly number[]): string {
  return ends.length === 1
    ? 'The end token of its answer is'
    : `All ${count(ends.length)} end tokens of its answers are`
}

/** Rollouts by whether their ends are in the loss. */
interface Ends {
  readonly trained: number
  readonly silent: number
}

class EndCounts {
  private readonly counts = new Map<string, { trained: number; silent: number }>()

  add(key: string, { silentEnds }: TrajectoryFacts): void {
    let ends = this.counts.get(key)
    if (ends === undefined) this.counts.set(key, (ends = { trained: 0, silent: 0 }))
    if (silentEnds === undefined) ends.trained++
    else ends.silent++
  }

  of(key: string): Ends {
    return this.counts.get(key) ?? { trained: 0, silent: 0 }
  }
}

function mostTrain({ trained, silent }: Ends): boolean {
  return trained >= FEWEST_TRAINED && trained > silent
}

function environmentOf({ environment }: TrajectoryFacts): string {
  return environment ?? ''
}

function lastOf(member: TrajectoryFacts): string {
  return `${member.endBehind}\n${environmentOf(member)}`
}
