import type { EndReason } from '../../checks/facts/facts.ts'
import type { TableFormat } from '../../exports/table-text.ts'
import type { HypothesisResult } from '../../model/report.ts'
import type { Place } from '../../model/source.ts'
import type { Stream } from '../../model/streams.ts'
import type { TurnKind } from '../../model/tokens.ts'
import type { Row } from '../protocol.ts'
import type { ExportFile } from './export.ts'

/** The run that is open, or the one that it is judged beside. */
export type RunName = 'open' | 'second'

/** A rollout of the open run or of the second one, by its index in report order. */
export interface RolloutRef {
  readonly run: RunName
  readonly index: number
}

/** One rollout as it is laid beside another, padding left out. A unit is a token, or a word where a rollout has text alone. */
export interface AlignedSide {
  readonly of: RolloutRef
  readonly id: string
  readonly place: Place
  readonly reward: number | null
  readonly end: EndReason
  /** Stored token that is unit 0. */
  readonly from: number
  /** Null where there is text alone. */
  readonly ids: Int32Array | null
  /** One `TokenState` per unit. */
  readonly states: Uint8Array
  /** Unit i is `text.slice(textOffsets[i], textOffsets[i + 1])`. */
  readonly text: string
  readonly textOffsets: Uint32Array
  /** In units; empty without a tokenizer that frames turns. */
  readonly turns: readonly { readonly start: number; readonly kind: TurnKind; readonly role: string }[]
}

/** Two rollouts, unit by unit. */
export interface Alignment {
  /** What was compared: token ids, the texts of tokens of two tokenizers, or words. */
  readonly by: 'ids' | 'texts' | 'words'
  readonly left: AlignedSide
  readonly right: AlignedSide
  /** Units that both begin with. */
  readonly prefix: number
  /** Half-open ranges of units that differ, ascending; everything between them is the same on both sides. */
  readonly hunks: readonly { readonly left: readonly [number, number]; readonly right: readonly [number, number] }[]
}

/** A part of the comparison: what the numbers in it speak of. */
export const MEASURE_SECTIONS = [
  'verdicts',
  'reward',
  'ends',
  'lengths',
  'loss',
  'turns',
  'logprobs',
  'edges',
  'checks',
  'documents',
  'logs',
  'setting',
] as const
export type MeasureSection = (typeof MEASURE_SECTIONS)[number]

/** `share` from 0 to 1; `nats`, `tokens` and `number` as they are; `text` is compared as it stands. */
export type MeasureUnit = 'share' | 'tokens' | 'nats' | 'number' | 'text'

/** One measure of both runs. Null = a run does not tell, and `lacks` says why. */
export interface ComparedMeasure {
  readonly id: string
  readonly section: MeasureSection
  readonly label: string
  readonly unit: MeasureUnit
  readonly here: number | string | null
  readonly there: number | string | null
  /** How far the two are apart, 0 to 1, so that measures of any unit can be put in order; null where a run does not tell. */
  readonly distance: number | null
  /** The difference is more than chance gives in runs of this size. Null where that is not known. */
  readonly isSure: boolean | null
  /** What the run that does not tell lacks, in words. */
  readonly lacks: { readonly here: string | null; readonly there: string | null }
  /** Codes that open the rollouts behind the value of the open run. */
  readonly codes: readonly string[]
}

/** How values are spread in both runs: counts over the same bins, as shares of each run. */
export interface ComparedSpread {
  readonly of: 'reward' | 'sequence' | 'assistant-turn' | 'tool-reply'
  readonly from: number
  readonly width: number
  readonly here: readonly number[]
  readonly there: readonly number[]
}

/** A number by training step in both runs, which have points of the same steps; empty lists where a run does not tell. */
export interface ComparedSeries {
  readonly name: string
  readonly unit: MeasureUnit
  readonly here: ComparedLine
  readonly there: ComparedLine
}

/** Lists of one length. A point is of steps `steps` to `to`, both in it: one step, or several where there are too many to draw. */
export interface ComparedLine {
  readonly steps: readonly number[]
  readonly to: readonly number[]
  readonly values: readonly (number | null)[]
}

/** What one of two runs is. */
export interface RunSide {
  readonly names: readonly string[]
  readonly rollouts: number
  readonly groups: number
  readonly tokens: number
  readonly tokenizer: string | null
  /** By the name that the rollouts carry; several with commas between. */
  readonly model: string | null
  readonly streams: readonly Stream[]
}

/** What a comparison comes to, in sentences. */
export interface ComparisonConclusion {
  /** Why the two may differ for another reason than what is asked: other models, tokenizers, tasks, too few rollouts. */
  readonly caveats: readonly string[]
  readonly differs: string
  readonly decides: string
}

export interface RunComparison {
  readonly here: RunSide
  readonly there: RunSide
  readonly conclusion: ComparisonConclusion
  /** Those of which at least one run tells; largest sure difference first. */
  readonly measures: readonly ComparedMeasure[]
  readonly spreads: readonly ComparedSpread[]
  readonly series: readonly ComparedSeries[]
  /** Training steps that rollouts of the open run are of, ascending. */
  readonly steps: readonly number[]
  /** What both runs together decide: H06-library, H07 and H08. */
  readonly together: readonly HypothesisResult[]
  readonly pairs: PairTotals
}

/** Of the questions that both runs have. A count is null where neither run tells. */
export interface PairTotals {
  readonly pairs: number
  /** Questions that only one of the runs has; rollouts whose question is not known count in neither. */
  readonly onlyHere: number
  readonly onlyThere: number
  /** Pairs of one question in other words, as where one run adds `Answer in \boxed{}.` */
  readonly words: number
  readonly tools: { readonly checked: number; readonly affected: number } | null
  readonly system: { readonly checked: number; readonly affected: number } | null
  readonly rendering: { readonly checked: number; readonly affected: number } | null
  readonly opening: { readonly checked: number; readonly affected: number } | null
  readonly replies: { readonly checked: number; readonly affected: number } | null
  /** Answers in the same words to the same question, and those that are scored otherwise. */
  readonly likeAnswers: { readonly checked: number; readonly affected: number } | null
  /** Whether most rollouts of these questions stand in both runs, record for record. */
  readonly sameRecords: boolean
}

export const PAIR_SORTS = ['order', 'reward', 'length', 'cut'] as const
export type PairSort = (typeof PAIR_SORTS)[number]

export interface PairQuery {
  /** Pairs in which all that is named differs. */
  readonly differ?: readonly (
    | 'words'
    | 'tools'
    | 'system'
    | 'rendering'
    | 'opening'
    | 'replies'
    | 'reward'
    | 'end'
    | 'scored'
  )[]
  readonly sort?: PairSort
  readonly descending?: boolean
}

/** The rollouts of one question in one run. Means are over rollouts that tell. */
export interface PairSide {
  readonly rollouts: number
  readonly reward: number | null
  readonly tokens: number | null
  /** Share of rollouts that a limit ended; null where none tells. */
  readonly cut: number | null
}

/** One question that both runs have. */
export interface PairRow {
  readonly position: number
  readonly group: string | null
  readonly here: PairSide
  readonly there: PairSide
  /** The question is the same, and stands among other sentences. */
  readonly words: boolean
  /** No rollout of the one run has what one of the other has; null where a run does not tell. */
  readonly tools: boolean | null
  readonly system: boolean | null
  /** The prompt's ids differ though tools and system text are the same. */
  readonly rendering: boolean | null
  /** How the prompt begins the model's turn. */
  readonly opening: boolean | null
  /** The role under which the ids put replies of tools. */
  readonly replies: boolean | null
  /** Answers that both runs give in the same words, and those of them that have another mean reward; null where there is none. */
  readonly likeAnswers: { readonly checked: number; readonly affected: number } | null
}

/** What stands before the question, and the question where its words differ, as each run puts it; null where a run does not tell. */
export interface PromptDifference {
  readonly what: 'system' | 'tools' | 'question'
  /** What differs, a sentence each; empty where nothing does. */
  readonly says: readonly string[]
  readonly here: string | null
  readonly there: string | null
}

export interface PairDetail {
  readonly row: PairRow
  readonly question: string | null
  readonly here: readonly Row[]
  readonly there: readonly Row[]
  readonly prompt: readonly PromptDifference[]
}

export interface CompareRequests {
  /** All measures of both runs. Fails with a sentence where there is no second run. */
  comparison: { input: Record<string, never>; output: RunComparison }
  /** Positions of matching pairs, in order. */
  pairs: { input: PairQuery; output: { positions: Int32Array; total: number } }
  pairRows: { input: { positions: readonly number[] }; output: readonly PairRow[] }
  pair: { input: { position: number }; output: PairDetail }
  /** Two rollouts, token by token; both may be of one run. */
  alignment: { input: { left: RolloutRef; right: RolloutRef }; output: Alignment }
  /** All measures as a table or as Markdown; all pairs as a table. */
  comparisonExport: { input: { of: 'measures' | 'pairs'; as: TableFormat }; output: ExportFile }
}
