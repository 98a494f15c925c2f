import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { saysRight } from '../checks/groups/says-right.ts'
import { isCut, isCutReason } from '../checks/limits/limits.ts'
import { isLengthStop } from '../checks/oracles/end-reason.ts'
import { endsInAnswer } from '../checks/truncation/ending.ts'
import { isMaskedOnPurpose } from '../checks/truncation/masked-rows-counted.ts'
import { endOf, toldEnds } from '../checks/truncation/told-ends.ts'
import type { CheckResult, Count } from '../model/report.ts'
import {
  type DefectEvidence,
  type DefectShape,
  type Explained,
  explained,
  GAPS,
  inBoth,
  liesWithin,
  rowsOfAny,
  rowsWhere,
  sizeOf,
} from './defects-evidence.ts'
import { areNearlyAll, isSystematicAfterFirst, rolloutsByTurn, splitByTurn } from './multi-step.ts'

/** A defect of training code that is known by its shape: which checks fail, and where. */
export interface KnownDefect {
  readonly id: string
  /** What is the matter, for a person with any trainer. */
  readonly title: string
  readonly why: string
  readonly fix: string
  readonly cite: string
  readonly explains: readonly Explained[]
  recognise(evidence: DefectEvidence): DefectShape | null
}

const GAPS_AFTER_FIRST: Explained = { codes: ['L02'], everywhere: true, afterFirstTurn: true }

/**
 * The defects of the old verifiers trainer (bdsaglam/verifiers, up to v0.1.4 of September 2025) that a dump shows. Each is
 * one statement about the code that wrote the dump, however many findings it left. Other trainers have had most of them.
 */
export const VERIFIERS_DEFECTS: readonly KnownDefect[] = [
  {
    id: 'V1',
    title: 'Loss mask used as attention mask',
    why: 'The forward pass does not see the prompt and the tool replies: the policy is trained on its own words without question or documents.',
    fix: 'Give the forward pass an attention mask of all real tokens, and apply the loss mask to the loss alone.',
    cite: 'verifiers#505, TRL#4974, TimeSearch-R#7',
    explains: [GAPS],
    recognise: (evidence) => systematic(evidence, 'M15'),
  },
  {
    id: 'V2',
    title: 'Assistant header missing after the first turn',
    why: 'Every later turn was sampled after a generation prompt that the trained ids do not have.',
    fix: 'Render what stands between two turns with the generation prompt of the next one.',
    cite: 'verifiers#476',
    explains: [GAPS_AFTER_FIRST],
    recognise: headersAfterFirst,
  },
  {
    id: 'V3',
    title: 'Newline after the end token of assistant turns lost',
    why: 'The sampler stops at the end token, the template goes on with a newline: joined ids lack it, and the context is not the sampled one.',
    fix: 'Add what the template puts after the end token when the ids of turns are joined.',
    cite: 'verifiers#476, verl#6501, verl#3720, TRL#5317',
    explains: [GAPS_AFTER_FIRST],
    recognise: newlinesAfterAssistant,
  },
  {
    id: 'V4',
    title: 'Tool schema absent from the training prompt though inference had it',
    why: 'The policy is trained to call tools that its context never mentions; prompt lengths are counted without them.',
    fix: 'Give the tools to the chat template when the training prompt is rendered, as at inference.',
    cite: 'verifiers e7a6cae, slime#1073, TRL#6515',
    explains: [GAPS],
    recognise: schemaAbsent,
  },
  {
    id: 'V5',
    title:
      'Role header trained from the second assistant turn on, with the newline after turns where the template has one',
    why: 'The trained span is the difference of two renderings of the conversation, and so holds what the template wrote around the turn.',
    fix: 'Train the ids that were sampled: from after the generation prompt to the end token.',
    cite: 'SkyRL#710, Automodel#3739',
    explains: [],
    recognise: headersTrained,
  },
  {
    id: 'V6',
    title: 'Begin-of-text token doubled by encoding rendered text',
    why: 'The template writes the token, and the encoder adds it again: the model never sampled after two of them.',
    fix: 'Encode rendered text with add_special_tokens=False.',
    cite: 'OpenRLHF#393, vllm#27515',
    explains: [],
    recognise: (evidence) => (isOfPackedRows(evidence, 'T01') ? null : systematic(evidence, 'T01')),
  },
  {
    id: 'V7',
    title: 'Trained spans lie off by the block that the generation prompt adds',
    why: 'Spans were measured on renderings with and without a generation prompt that is longer than its header: every turn is displaced by the rest of it.',
    fix: 'Take spans from the sampled ids. Do not measure them by the growth of a rendered prefix.',
    cite: 'verifiers#180, Trinity-RFT#316, axolotl#3088',
    explains: [explained('M01', 'M03', 'M05', 'M08', 'M09', 'M10', 'M11', 'T03')],
    recognise: (evidence) => systematic(evidence, 'M07'),
  },
  {
    id: 'V8',
    title: 'Chat template rewrites thoughts once the conversation goes on',
    why: 'The template takes the thought out of turns that are history, or gives the last turn an empty one: the whole conversation, rendered at its end, is not what was sampled turn by turn.',
    fix: 'Train the sampled ids, one row for each call where history is rewritten, or use a template that keeps thoughts.',
    cite: 'prime-rl#1334, verl#2165, TRL#6361',
    explains: [GAPS],
    recognise: thoughtsRewritten,
  },
  {
    id: 'V10',
    title: 'Truncation flag not set on turns that hit their token limit',
    why: 'Only the length of the whole sequence sets the flag, so turns that the sampler cut are trained and rewarded as if they had ended.',
    fix: "Set the flag from the sampler's finish reason of each turn as well.",
    cite: 'verifiers#637',
    explains: [explained('C05', 'C07')],
    recognise: unflaggedCuts,
  },
  {
    id: 'V11',
    title: 'Truncated and masked rows still enter the mean and std of their group',
    why: 'They train nothing and shift the advantage of every rollout of the group that does.',
    fix: 'Leave masked rollouts out of the baseline, or sample until the group is full again.',
    cite: 'open-instruct#1794, TRL#6369; meant in miles#3200',
    explains: [explained('M04')],
    recognise: cutRowsCounted,
  },
  {
    id: 'V12',
    title: 'Truncated rows keep the reward earned by text they no longer contain',
    why: 'The whole text was scored and its end cut away afterwards: the tokens that are left get credit for an answer that is not theirs.',
    fix: 'Score what is trained, or mask rollouts that were cut.',
    cite: 'verifiers#637',
    explains: [explained('C03')],
    recognise: (evidence) => known(evidence, 'C12'),
  },
  {
    id: 'V13',
    title: 'All rewards were set to 0, those of complete and right rollouts too',
    why: 'Something zeroes rewards whatever a rollout did, as a switch does that is meant for truncated ones and reaches all: all advantages are 0.',
    fix: 'Look for what sets rewards to 0 after they were computed, such as zero_truncated_completions, and let it reach no other rollouts than it is meant for.',
    cite: 'verifiers#186',
    explains: [explained('A01')],
    recognise: allZeroed,
  },
  {
    id: 'V14',
    title: 'The end token of an earlier turn hides that the last one was cut',
    why: 'A rollout counts as complete when an end token stands anywhere in it: clipped ratios near 0 say nothing, and cut last turns are trained.',
    fix: 'Look at the last sampled token of a rollout, or at the finish reason of its last turn.',
    cite: 'bdsaglam/verifiers, its trainer of August 2025',
    explains: [explained('C03', 'C05', 'C07')],
    recognise: endsHidden,
  },
]

/** What is left where nothing else accounts for a gap from the second turn on. */
export const RERENDERED_CONTEXT: KnownDefect = {
  id: 'V9',
  title: 'Later turns were sampled behind messages that were rendered again, and are trained behind other ids',
  why: 'Each request is rendered from parsed messages, which does not give back what the model wrote; training joins the sampled ids. Later turns are scored in a context they never had.',
  fix: 'Send the ids of the rollout so far to the sampler, or train one row for each call with the prompt that it had.',
  cite: 'prime-rl#1352, verifiers#955, rllm#272',
  explains: [],
  recognise: gapsAfterFirst,
}

function known(evidence: DefectEvidence, code: string): DefectShape | null {
  const check = evidence.failing(code)
  return check === null ? null : { checks: [code], places: { ...check.places }, rows: evidence.rows(code) }
}

function systematic(evidence: DefectEvidence, code: string): DefectShape | null {
  return evidence.failing(code)?.pattern === 'systematic' ? known(evidence, code) : null
}

/** A limit or a filter of the source took some of the rows that count; one that the model ended was masked by mistake (M04). */
function cutRowsCounted(evidence: DefectEvidence): DefectShape | null {
  const shape = known(evidence, 'C04')
  if (shape === null || shape.rows === null) return shape
  const rows = inBoth(shape.rows, rowsWhere(evidence.dump, isMaskedOnPurpose))
  return rows.includes(1) ? { ...shape, rows } : null
}

/** Prompts without any tools; a prompt that describes others was given some. */
function schemaAbsent(evidence: DefectEvidence): DefectShape | null {
  const shape = systematic(evidence, 'T07')
  const check = evidence.failing('T07')
  const others = evidence.dump.facts.filter(({ toolsDiffer }) => toolsDiffer).length
  if (shape === null || check === null || others === 0) return shape
  const { 'systematic-units': units, 'systematic-share': share } = evidence.dump.settings.thresholds
  const absent = check.affected - others
  if (absent < units || absent < share * check.checked) return null
  const without = rowsWhere(evidence.dump, ({ toolsDiffer }) => !toolsDiffer)
  const places = { ...check.places, affected: Math.min(check.places.affected, absent) }
  return { ...shape, places, rows: shape.rows === null ? null : inBoth(shape.rows, without) }
}

function headersAfterFirst(evidence: DefectEvidence): DefectShape | null {
  const places = placesAfterFirst(evidence.failing('T05'), evidence.dump)
  return places && { checks: ['T05'], places, rows: evidence.rows('T05') }
}

/** A mask that lies off as a whole trains headers as well, which says nothing of how headers are rendered. */
const DISPLACED = ['M02', 'M05', 'M06', 'M07', 'T03']

function headersTrained(evidence: DefectEvidence): DefectShape | null {
  const { dump } = evidence
  const places = placesAfterFirst(evidence.failing('M08'), dump)
  const rows = evidence.rows('M08')
  const isDisplaced = DISPLACED.some((code) => {
    const others = evidence.rows(code)
    return evidence.failing(code) !== null && (rows === null || others === null || liesWithin(rows, others, dump))
  })
  // Llama's template has no newline between turns: the header is then all there is of it.
  const checks = evidence.result('M11')?.status === 'not-applicable' ? ['M08'] : ['M08', 'M11']
  const newline = evidence.failing('M11')
  if (
    places === null ||
    isDisplaced ||
    !areWhole(evidence.failing('M08')) ||
    (checks.length > 1 && newline?.pattern !== 'systematic')
  )
    return null
  return { checks, places, rows: rowsOfAny(evidence, checks) }
}

/** Whether headers are trained as the text that they are: of single tokens of them, as of the newline that ends each, something else is the cause. */
function areWhole(check: CheckResult | null): boolean {
  return check !== null && check.affected_tokens >= 2 * check.places.affected
}

/** The turns from the second on, where nearly all of them are affected and no first one is. */
function placesAfterFirst(check: CheckResult | null, dump: DumpView): Count | null {
  if (check === null || !isSystematicAfterFirst(check, dump)) return null
  return splitByTurn(check).later
}

/** The edges after assistant turns, where nearly all of them are affected and no other edge is. */
function newlinesAfterAssistant(evidence: DefectEvidence): DefectShape | null {
  const places = { checked: 0, affected: 0 }
  const check = evidence.failing('T04')
  for (const [boundary, count] of Object.entries(check?.by_boundary ?? {})) {
    if (boundary.startsWith('assistant>')) {
      places.checked += count.checked
      places.affected += count.affected
    } else if (count.affected > 0) return null
  }
  // Between the documents of a packed row no template writes anything.
  if (check === null || !areNearlyAll(places, check, evidence.dump) || isOfPackedRows(evidence, 'T04')) return null
  return { checks: ['T04'], places, rows: evidence.rows('T04') }
}

/** Whether a fault stands in rows alone whose documents nothing parts (S01): what looks wrong there is where one of them begins. */
function isOfPackedRows(evidence: DefectEvidence, code: string): boolean {
  const [rows, packed] = [evidence.rows(code), evidence.rows('S01')]
  return rows !== null && packed !== null && liesWithin(rows, packed, evidence.dump)
}

/**
 * Trained rows that end in the open while their own flag says that they were not truncated: those that are paid for (C03), and where the flags are told to be
 * wrong (C05) those without a reward as well, which are trained too.
 */
function unflaggedCuts(evidence: DefectEvidence): DefectShape | null {
  const { dump } = evidence
  if (evidence.failing('C03') === null || endsHidden(evidence) !== null) return null
  const ends = toldEnds(dump)
  const isTrainedCut = (row: TrajectoryFacts) => isCutReason(endOf(row, ends)) && isTrained(row)
  const cut = rowsWhere(dump, isTrainedCut)
  const unflagged = rowsWhere(dump, (row) => isTrainedCut(row) && row.isTruncated === false)
  const paid = rowsWhere(dump, ({ reward }) => (reward ?? 0) > 0)
  const unflaggedAndPaid = inBoth(unflagged, paid)
  if (sizeOf(unflaggedAndPaid) === 0) return null
  const flags = evidence.failing('C05') === null ? null : evidence.rows('C05')
  if (flags === null || sizeOf(inBoth(flags, unflagged)) <= sizeOf(inBoth(flags, unflaggedAndPaid))) {
    const places = { checked: sizeOf(inBoth(cut, paid)), affected: sizeOf(unflaggedAndPaid) }
    return { checks: ['C03'], places, rows: unflaggedAndPaid }
  }
  return {
    checks: ['C03', 'C05'],
    places: { checked: sizeOf(cut), affected: sizeOf(unflagged) },
    rows: unflagged,
  }
}

function isTrained({ trained, excluded }: TrajectoryFacts): boolean {
  return (trained ?? 0) > 0 && !excluded
}

/**
 * Cut rows are flagged where they have one assistant turn and not where an earlier one has an end token to show: the flag follows that
 * token and no limit. Two of each at least; one may have another reason.
 */
function endsHidden(evidence: DefectEvidence): DefectShape | null {
  const { dump } = evidence
  const checks = ['C05', 'C03'].filter((code) => evidence.failing(code) !== null)
  if (checks.length === 0) return null
  const cut = dump.facts.filter((row) => row.isTruncated !== null && endsInAnswer(row))
  const alone = cut.filter(({ assistantTurns }) => assistantTurns === 1)
  const later = cut.filter(({ assistantTurns }) => assistantTurns > 1)
  const least = dump.settings.thresholds['systematic-units']
  const follows =
    alone.length >= least &&
    later.length >= least &&
    alone.every(({ isTruncated }) => isTruncated === true) &&
    later.every(({ isTruncated }) => isTruncated === false)
  if (!follows) return null
  const hidden = new Set(later)
  const places = { checked: cut.length, affected: later.length }
  return { checks: checks.slice(0, 1), places, rows: rowsWhere(dump, (row) => hidden.has(row)) }
}

/**
 * Every reward is 0, and some rollouts that were not cut are right by the dump's own word. A question that is merely too hard for the model has no right
 * rollouts. Where no component says so, others have to be cut, and most of these hold the expected answer in the model's own words: else it may be that the reward asks for more.
 */
function allZeroed(evidence: DefectEvidence): DefectShape | null {
  const check = evidence.failing('A10')
  const { facts, settings } = evidence.dump
  const rewarded = facts.filter(({ reward }) => reward !== null)
  if (check === null || rewarded.length === 0 || rewarded.some(({ reward }) => reward !== 0)) return null
  const wasCut = (row: TrajectoryFacts) => isCut(row) || row.isTruncated === true || isLengthStop(row.finishReason)
  const whole = rewarded.filter((row) => !wasCut(row))
  const least = settings.thresholds['systematic-units']
  const saying = whole.filter(({ answerPlace }) => answerPlace === 'model').length
  const sayAnswers = saying >= least && 2 * saying > whole.length
  if (whole.filter(isRight).length < least && !(sayAnswers && facts.some(wasCut))) return null
  const places = { checked: rewarded.length, affected: rewarded.length }
  return { checks: ['A10'], places, rows: rowsWhere(evidence.dump, ({ reward }) => reward !== null) }
}

function isRight({ rewards }: TrajectoryFacts): boolean {
  return Object.entries(rewards ?? {}).some(([name, value]) => value >= 1 && saysRight(name))
}

/** Thoughts are missing from all turns but the last, or the last alone has a trained block that only the template can have written. */
function thoughtsRewritten(evidence: DefectEvidence): DefectShape | null {
  const stripped = evidence.failing('T10')
  const inserted = evidence.failing('M09')
  if (stripped === null && inserted === null) return null
  const { dump } = evidence
  const withMore = rolloutsByTurn(dump.facts)
  if (stripped !== null && isNearlyAllOf(stripped, withMore[2] ?? 0, dump)) {
    // A thought that is missing from last turns as well was never kept by anyone.
    const lastIntact = Object.entries(stripped.by_turn).every(([turn, n]) => n <= (withMore[Number(turn) + 1] ?? 0))
    if (lastIntact) return { checks: ['T10'], places: { ...stripped.places }, rows: evidence.rows('T10') }
  }
  if (inserted === null || !isNearlyAllOf(inserted, inserted.checked, dump)) return null
  const endAt = (turn: number) => (withMore[turn] ?? 0) - (withMore[turn + 1] ?? 0)
  const lastAlone = Object.entries(inserted.by_turn).every(([turn, n]) => n <= endAt(Number(turn)))
  const later = Object.entries(inserted.by_turn).reduce((sum, [turn, n]) => sum + (Number(turn) > 1 ? n : 0), 0)
  const shows = lastAlone && later >= dump.settings.thresholds['systematic-units']
  return shows ? { checks: ['M09'], places: { ...inserted.places }, rows: evidence.rows('M09') } : null
}

/** Of the rollouts that could have the fault at all, as far as the check looked at them. */
function isNearlyAllOf(check: CheckResult, most: number, { settings }: DumpView): boolean {
  const { 'systematic-units': units, 'systematic-share': share } = settings.thresholds
  return check.affected >= units && check.affected >= share * Math.min(check.checked, most)
}

/** Faults each of which accounts for a gap by itself, whether or not it is everywhere. */
const OTHER_CAUSES = [
  'M15',
  'T01',
  'T02',
  'T04',
  'T05',
  'T07',
  'T09',
  'T10',
  'T12',
  'T13',
  'T15',
  'T17',
  'C01',
  'C02',
  'C08',
]

/** The gap begins after the first turn, and there the messages do not render to the turns that stand before it in the ids. */
function gapsAfterFirst(evidence: DefectEvidence): DefectShape | null {
  const { dump } = evidence
  const gap = evidence.failing('L02')
  const rows = evidence.rows('L02')
  if (gap === null || rows === null || (gap.by_turn['1'] ?? 0) > 0) return null
  if (OTHER_CAUSES.some((code) => evidence.failing(code) !== null)) return null
  const several = rowsWhere(dump, ({ assistantTurns }) => assistantTurns > 1)
  const otherwise = rowsWhere(dump, ({ rendersOtherwise }) => rendersOtherwise === true)
  return isNearlyAllOf(gap, sizeOf(several), dump) && liesWithin(rows, otherwise, dump) ? known(evidence, 'L02') : null
}
