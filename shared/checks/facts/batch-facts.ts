import type { TrajectoryFacts } from './facts.ts'
import { FactsKeeper, type PackedFacts, packFacts } from './kept-facts.ts'

/** The facts of a batch as this thread made them, an object for each rollout. */
export interface LooseFacts {
  readonly rows: number
  readonly loose: readonly TrajectoryFacts[]
}

/** The facts of a batch: packed where another thread made them. */
export type BatchFacts = PackedFacts | LooseFacts

export function looseFacts(loose: readonly TrajectoryFacts[]): LooseFacts {
  return { rows: loose.length, loose }
}

/** To be posted. */
export function packedFacts(facts: BatchFacts): PackedFacts {
  return 'loose' in facts ? packFacts(facts.loose) : facts
}

/**
 * Rollouts whose facts are packed at once, at least: packing costs by the column more than by the row, and a batch of long rollouts has a dozen. As objects
 * they take some kilobytes each.
 */
const PACKED_AT_ONCE = 512

/**
 * Rollouts whose facts stay the objects that they were made as: those that this thread makes first. To pack them takes a twentieth of what reading and judging
 * so few takes, and to read them back as long again, for six megabytes.
 */
const NEVER_PACKED = 2048

/** Loose facts that are packed together; the rollouts of all of them once they were asked for. */
interface Pile {
  readonly loose: TrajectoryFacts[]
  keep: (() => TrajectoryFacts[]) | null
  made: readonly TrajectoryFacts[] | null
}

/** Keeps the facts of batches, those that are loose packed with the ones that follow. */
export class BatchFactsKeeper {
  private readonly keeper = new FactsKeeper()
  private pile = emptyPile()
  /** Rollouts that are kept as they were made. */
  private loose = 0

  constructor(private readonly bounds = { neverPacked: NEVER_PACKED, packedAtOnce: PACKED_AT_ONCE }) {}

  /** Keeps those of a batch, as `FactsKeeper.keep` does. */
  keep(facts: BatchFacts): () => TrajectoryFacts[] {
    if (!('loose' in facts)) {
      this.packPile()
      return this.keeper.keep(facts)
    }
    const { loose, rows } = facts
    if (this.loose + rows <= this.bounds.neverPacked) {
      this.loose += rows
      return () => [...loose]
    }
    this.loose = this.bounds.neverPacked
    return this.piled(loose)
  }

  /** A function of its own: all closures of one share what any of them asks for, and these would hold the objects that were packed. */
  private piled(loose: readonly TrajectoryFacts[]): () => TrajectoryFacts[] {
    const pile = this.pile
    const from = pile.loose.length
    for (const each of loose) pile.loose.push(each)
    const to = pile.loose.length
    if (to >= this.bounds.packedAtOnce) this.packPile()
    return () => {
      if (pile.keep === null) this.packPile()
      pile.made ??= (pile.keep as () => TrajectoryFacts[])()
      return pile.made.slice(from, to)
    }
  }

  /** What was loose is let go of. */
  private packPile(): void {
    const pile = this.pile
    if (pile.loose.length === 0) return
    pile.keep = this.keeper.keep(packFacts(pile.loose))
    pile.loose.length = 0
    this.pile = emptyPile()
  }
}

function emptyPile(): Pile {
  return { loose: [], keep: null, made: null }
}
