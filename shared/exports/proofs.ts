import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import type { ExportedTrajectory } from './export-kind.ts'
import {
  outlineOf,
  spanOf,
  type TokenWindow,
  type TurnCount,
  WHOLE_WINDOW,
  type WindowSize,
  windowOf,
} from './token-window.ts'

/** What a report does not hold and a reader wants to see: the tokens of a finding, or the members of its group. */
export interface Proof {
  readonly window: TokenWindow | null
  /** Turns of the rollout, where the finding points at all of it. */
  readonly outline: readonly TurnCount[] | null
  readonly members: readonly MemberFacts[] | null
  /** Why there are no tokens, in a sentence. */
  readonly note: string | null
}

export interface MemberFacts {
  readonly trajectory: string
  readonly reward: number | null
  readonly advantage: number | null
  readonly tokens: number
  readonly trained: number | null
}

/** A finished audit whose rollouts can be read again. A session is one. */
export interface ProofOrigin {
  readonly facts: readonly TrajectoryFacts[]
  locate(place: Place): number
  load(index: number): Promise<ExportedTrajectory>
}

export type Proofs = ReadonlyMap<Finding, Proof>

/** Members that are told of; groups are of 4 to 64. */
const MEMBERS = 16
/** Turns that are told of where a finding points at a whole rollout. */
const TURNS = 24
/** Tokens over all windows; with few findings each of them shows more. */
const ALL_TOKENS = 60_000

/**
 * Reads the rollouts of findings again, one at a time and in the order of the dump, and keeps a window of each. What cannot be
 * read any more is noted, and costs no other its proof. Throws the signal's reason only.
 */
export async function collectProofs(
  origin: ProofOrigin,
  findings: readonly Finding[],
  hooks: { readonly signal?: AbortSignal; onProgress?(done: number, all: number): void } = {},
): Promise<Proofs> {
  const proofs = new Map<Finding, Proof>()
  const size = sizeFor(findings.length)
  const ordered = [...findings].sort(byPlace)
  let loaded = null as { readonly index: number; readonly trajectory: ExportedTrajectory } | null
  for (const [done, finding] of ordered.entries()) {
    hooks.signal?.throwIfAborted()
    hooks.onProgress?.(done, ordered.length)
    const { source, record, part } = finding
    try {
      if (record === null) {
        proofs.set(finding, { ...NOTHING, members: membersOf(origin, finding) })
        continue
      }
      const index = origin.locate({ source, record, part: part ?? 0 })
      if (loaded?.index !== index) loaded = { index, trajectory: await origin.load(index) }
      proofs.set(finding, proofOf(finding, loaded.trajectory, size))
    } catch (error) {
      proofs.set(finding, { ...NOTHING, note: error instanceof Error ? error.message : String(error) })
    }
  }
  return proofs
}

const NOTHING: Proof = { window: null, outline: null, members: null, note: null }

function sizeFor(findings: number): WindowSize {
  const { context, head, tail } = WHOLE_WINDOW
  const scale = Math.min(1, ALL_TOKENS / Math.max(1, findings) / (2 * context + head + tail))
  const scaled = (tokens: number) => Math.max(4, Math.floor(tokens * scale))
  return { context: scaled(context), head: scaled(head), tail: scaled(tail) }
}

function proofOf(finding: Finding, { view }: ExportedTrajectory, size: WindowSize): Proof {
  if (view === null) return { ...NOTHING, note: 'This rollout has no token ids.' }
  const span = spanOf(finding, view)
  if (span !== null) return { ...NOTHING, window: windowOf(view, span, size) }
  return { ...NOTHING, outline: outlineOf(view)?.slice(0, TURNS) ?? null }
}

function membersOf(origin: ProofOrigin, { members }: Finding): MemberFacts[] | null {
  return (
    members?.slice(0, MEMBERS).flatMap((member) => {
      const facts = origin.facts[origin.locate(member)]
      if (facts === undefined) return []
      const { reward, advantage, realLength, trained } = facts
      return [{ trajectory: member.trajectory, reward, advantage, tokens: realLength, trained }]
    }) ?? null
  )
}

function byPlace(a: Finding, b: Finding): number {
  return a.source - b.source || (a.record ?? -1) - (b.record ?? -1) || (a.part ?? -1) - (b.part ?? -1)
}
