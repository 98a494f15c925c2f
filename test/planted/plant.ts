import type { Random } from '../../samples/random.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { HypothesisResult, Severity } from '../../shared/model/report.ts'
import type { Span } from '../../shared/model/tokens.ts'
import type { DumpPlan, PlantedDump } from './dump.ts'
import type { FamilyName, PlantedFamily } from './families.ts'
import type { PlantedRollout } from './rollout.ts'
import type { FormatName } from './writers/registry.ts'
import type { Carried } from './writers/writer.ts'

export type Pattern = 'systematic' | 'sporadic'

export interface PlantContext {
  readonly family: PlantedFamily
  readonly format: FormatName
  readonly pattern: Pattern
  /** Another one for every rollout, group or dump that is damaged. */
  readonly random: Random
}

/**
 * Where a fault was planted: tokens within which findings must lie. Empty where they name none. Null: this rollout (or group) cannot
 * have the fault, another one is taken.
 */
export type Planted = readonly Span[] | null

/** One fault and how to plant it: into single rollouts, into whole groups, or into the dump. */
export interface Plant {
  readonly code: string
  /** What is wrong, in a sentence. */
  readonly title: string
  /** Default: all three. */
  readonly families?: readonly FamilyName[]
  /** What a format must carry for the fault to be there and to be seen. */
  readonly needs: readonly Carried[]
  /** Formats that carry it and are no place for this fault all the same. */
  readonly notIn?: readonly FormatName[]
  /** Formats beside these that can be given what the fault needs. */
  readonly alsoIn?: readonly FormatName[]
  /** What the clean dump is like that is damaged. */
  readonly plan?: DumpPlan
  /** What a person declares; a function where it follows from the dump. */
  readonly options?: AuditOptions | ((dump: PlantedDump) => AuditOptions)
  /** Records of the dataset that a person gives beside the dump. */
  readonly dataset?: (dump: PlantedDump, context: PlantContext) => readonly object[]
  /** Default: both. A fault of the whole dump has no sporadic form. */
  readonly patterns?: readonly Pattern[]
  /** What two of 64 rollouts are, where a check looks at fewer than all. */
  readonly patternOfTwo?: Pattern | ((format: FormatName) => Pattern)

  /** Damages one rollout in place. Advantages of its group are computed again afterwards, unless `keepAdvantages`. */
  readonly rollout?: (rollout: PlantedRollout, context: PlantContext) => Planted
  /** Damages the members of one group in place. */
  readonly group?: (members: readonly PlantedRollout[], context: PlantContext) => Planted
  /** Damages a dump of copies in place, and gives the rollouts that findings must name; null: none by itself. */
  readonly dump?: (dump: PlantedDump, context: PlantContext) => readonly PlantedRollout[] | null
  readonly keepAdvantages?: boolean

  /** Default: that of the code. */
  readonly severity?: Severity | ((format: FormatName) => Severity)
  /** One finding for each span that was given, each within its span. */
  readonly perTurn?: boolean
  /** Other codes that rightly fail as well, each with the reason. */
  readonly alongside?: Readonly<Record<string, string>>
  /** Verdicts on the dump where the fault is systematic, or has no such form. */
  readonly verdicts?: Partial<Record<HypothesisResult['id'], HypothesisResult['verdict']>>
}
