import type { DumpView } from '../../checks/check.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { howToDump } from '../../formats/dump-switches.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import { PARTS } from '../../model/tokens.ts'
import type { DissectedBatch, DissectJob } from '../audit/plan.ts'
import { type DissectPool, dissectPool, inlinePool, startWorkers } from '../audit/pool.ts'
import type { LabBasis, LabProgress, LimitPoint, LimitsTried, RepairTried } from '../requests/lab.ts'
import { readAgain } from '../search/read-again.ts'
import type { SearchOrigin } from '../search/search.ts'
import type { RolloutAnatomy, Unrepairable } from './anatomy.ts'
import { cutInDump } from './cut-in-dump.ts'
import { dissectBatch } from './dissect.ts'
import { type CutRules, costOf, TRIED_LIMITS, type TriedLimit, type TriedLimits } from './limits.ts'
import { type LossPicture, type LossSettings, lossPicture } from './loss.ts'

/** What the lab needs of a session. */
export interface LabOrigin {
  readonly again: SearchOrigin
  readonly dump: DumpView
}

export interface LabHooks {
  readonly signal: AbortSignal
  tell(progress: LabProgress): void
}

/** Rollouts that are looked into; of a larger dump so many, evenly spread. Their anatomies take some hundred bytes each. */
const MOST_LOOKED_INTO = 20_000
const MOST_ON_CURVE = 2000
const CURVE_POINTS = 49
const MOST_EXAMPLES = 200

/** What if: answers for the rollouts of one session. What was found out about them is kept until the session reads on. */
export class Lab {
  /** By index, ascending; another map as soon as the session has read on, since answers are still made from this one. */
  private anatomies: ReadonlyMap<number, RolloutAnatomy> = new Map()
  private revision = -1
  private underWay: Promise<unknown> = Promise.resolve()

  constructor(private readonly origin: () => LabOrigin) {}

  async limits(limits: TriedLimits, rules: CutRules, curve: TriedLimit, hooks: LabHooks): Promise<LimitsTried> {
    const found = await this.lookInto(hooks)
    const anatomies = [...found.values()]
    const reach = Object.fromEntries(
      TRIED_LIMITS.map((name) => [
        name,
        anatomies.reduce((most, anatomy) => Math.max(most, reachOf(anatomy, name, rules)), 0),
      ]),
    ) as Record<TriedLimit, number>
    const longest = reach[curve]
    const some = spread(anatomies.length, MOST_ON_CURVE).map((at) => anatomies[at] as RolloutAnatomy)
    const even = Array.from({ length: CURVE_POINTS }, (_, i) => Math.round((longest * i) / (CURVE_POINTS - 1)))
    const tried = limits[curve]
    const inForce = this.origin().dump.limits[curve]?.value ?? null
    // What is tried is a point of its own, so that its share beside the curve is that of the table; what is in force, so that the
    // curve goes as far as its limits are drawn.
    const own = [tried, inForce].filter((value) => value !== null)
    const points = [...new Set([...even, ...own])].sort((a, b) => a - b)
    return {
      basis: this.basis(found),
      cost: costOf(anatomies, limits, rules),
      inDump: cutInDump(this.origin().dump),
      curve: some.length === 0 ? [] : points.map((value) => pointOf(some, { ...limits, [curve]: value }, rules, value)),
      reach,
    }
  }

  async loss(settings: LossSettings, hooks: LabHooks): Promise<LossPicture & { basis: LabBasis }> {
    const anatomies = await this.lookInto(hooks)
    return { ...lossPicture(this.origin().dump, settings, anatomies), basis: this.basis(anatomies) }
  }

  async repair(hooks: LabHooks): Promise<RepairTried> {
    const anatomies = await this.lookInto(hooks)
    const toTrain = PARTS.map(() => 0)
    const toMask = PARTS.map(() => 0)
    const changed: { index: number; tokens: number }[] = []
    const maskedWhole = new Map<string, number[]>()
    const unrepairable: Record<Unrepairable, number> = { 'no-mask': 0, 'no-turns': 0, excluded: 0 }
    let withoutMask = -1
    let repairable = 0
    for (const [index, { repair, unrepairable: because }] of anatomies) {
      if (because !== null) unrepairable[because]++
      if (because === 'no-mask' && withoutMask < 0) withoutMask = index
      if (repair === null) continue
      repairable++
      if (repair.maskedWhole !== null) {
        const rows = maskedWhole.get(repair.maskedWhole)
        if (rows === undefined) maskedWhole.set(repair.maskedWhole, [index])
        else rows.push(index)
        continue
      }
      let tokens = 0
      for (const [sums, of] of [
        [toTrain, repair.toTrain],
        [toMask, repair.toMask],
      ] as const) {
        for (const [part, count] of of.entries()) {
          sums[part] = (sums[part] as number) + count
          tokens += count
        }
      }
      if (tokens > 0) changed.push({ index, tokens })
    }
    return {
      basis: this.basis(anatomies),
      repairable,
      changed: changed.length,
      parts: PARTS.flatMap((part, at) => {
        const row = { part, toTrain: toTrain[at] as number, toMask: toMask[at] as number }
        return row.toTrain + row.toMask === 0 ? [] : row
      }),
      examples: changed.slice(0, MOST_EXAMPLES),
      indices: changed.map(({ index }) => index),
      maskedWhole: [...maskedWhole].map(([because, indices]) => ({ because, indices })),
      unrepairable,
      howToRecord: withoutMask < 0 ? null : this.howToRecord(withoutMask, 'mask'),
    }
  }

  private howToRecord(index: number, stream: 'ids' | 'mask'): string | null {
    const { facts, runtime } = this.origin().again
    const source = runtime.plan.sources[facts[index]?.place.source ?? -1]
    return source === undefined ? null : howToDump(source.formatId, stream)
  }

  private basis(anatomies: ReadonlyMap<number, RolloutAnatomy>): LabBasis {
    const all = [...anatomies.values()]
    const { facts } = this.origin().again
    const withoutIds = facts.findIndex(({ length }) => length === 0)
    return {
      lookedInto: all.length,
      rollouts: facts.length,
      withTurns: all.filter(({ written }) => written.length > 0).length,
      withDocuments: all.filter(({ documents }) => documents.length > 0).length,
      howToRecordIds: withoutIds < 0 ? null : this.howToRecord(withoutIds, 'ids'),
    }
  }

  /** The anatomy of the rollouts, by index, ascending. One reading at a time: a second question waits for what the first reads. */
  private lookInto(hooks: LabHooks): Promise<ReadonlyMap<number, RolloutAnatomy>> {
    const reading = this.underWay.then(
      () => this.read(hooks),
      () => this.read(hooks),
    )
    this.underWay = reading
    return reading
  }

  private async read({ signal, tell }: LabHooks): Promise<ReadonlyMap<number, RolloutAnatomy>> {
    signal.throwIfAborted()
    const { again } = this.origin()
    if (this.revision !== again.revision) this.anatomies = new Map()
    this.revision = again.revision
    const wanted = spread(again.facts.length, MOST_LOOKED_INTO).filter(
      (index) => !this.anatomies.has(index) && (again.facts[index]?.length ?? 0) > 0,
    )
    if (wanted.length === 0) return this.anatomies
    const found = new Map(this.anatomies)
    tell({ done: 0, of: wanted.length })
    await readAgain<DissectJob, DissectedBatch>(
      again,
      Int32Array.from(wanted),
      {
        pool: (bytes) => poolFor(again, bytes),
        job: (read) => read,
        take(indices, result) {
          for (const [i, index] of indices.entries()) {
            const anatomy = result?.anatomies[i] ?? null
            if (anatomy !== null) found.set(index, anatomy)
          }
        },
      },
      { signal, onProgress: (done) => tell({ done, of: wanted.length }) },
    )
    this.anatomies = new Map([...found].sort(([a], [b]) => a - b))
    return this.anatomies
  }
}

function poolFor({ runtime, host }: SearchOrigin, bytes: number): DissectPool {
  const workers = startWorkers(bytes, host)
  if (workers.length > 0) return dissectPool(workers, runtime.plan)
  return inlinePool(async (job) => dissectBatch(job, await decodeRecords(job.records, allNumericKeys), runtime))
}

/** At most `most` of the numbers below `size`, ascending, evenly spread. */
function spread(size: number, most: number): number[] {
  const count = Math.min(size, most)
  return Array.from({ length: count }, (_, i) => Math.floor((i * size) / count))
}

/** Longest value of a limit that could still cut this rollout. */
function reachOf(
  { length, prompt, replies, written, missing }: RolloutAnatomy,
  limit: TriedLimit,
  { completionPer }: CutRules,
): number {
  const whole = length + (missing?.tokens ?? 0)
  if (limit === 'max_seq_len') return whole
  if (limit === 'max_prompt_length') return prompt ?? 0
  if (limit === 'max_completion_length') {
    if (completionPer === 'turn') return Math.max(longestTurn(written), missing?.longestTurn ?? 0)
    return prompt === null ? 0 : whole - prompt
  }
  let longest = missing?.longestReply ?? 0
  for (let i = 0; i < replies.length; i += 2)
    longest = Math.max(longest, (replies[i + 1] as number) - (replies[i] as number))
  return longest
}

function longestTurn(written: Int32Array): number {
  const lengths = new Map<number, number>()
  for (let i = 0; i < written.length; i += 3) {
    const turn = written[i + 2] as number
    lengths.set(turn, (lengths.get(turn) ?? 0) + (written[i + 1] as number) - (written[i] as number))
  }
  return [...lengths.values()].reduce((most, length) => Math.max(most, length), 0)
}

function pointOf(
  anatomies: readonly RolloutAnatomy[],
  limits: TriedLimits,
  rules: CutRules,
  value: number,
): LimitPoint {
  const { rollouts, cut, notWhole, supporting } = costOf(anatomies, limits, rules)
  const share = (part: { of: number; cut: number }) => (part.of === 0 ? null : part.cut / part.of)
  return { value, cut: cut / rollouts, answers: share(notWhole), supporting: share(supporting) }
}
