import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { mappingText } from '../../formats/mapping.ts'
import { native } from '../../formats/native.ts'
import type { SourceReport } from '../../model/report.ts'
import type { Collected } from '../audit/collected.ts'
import { missingStreams } from '../audit/streams.ts'
import type { OpenSource, UnreadableFile } from '../opening/open-source.ts'
import { driftTexts } from './source-drift.ts'

/** What a report says of a file that was read. */
export function sourceReport(
  open: OpenSource,
  index: number,
  collected: Collected,
  sha256: string | null,
): SourceReport {
  const source = collected.sources[index] as Collected['sources'][number]
  const notes = [
    ...otherFormatNote(open),
    ...mappingNote(open),
    ...rivalNote(open),
    ...rewardNote(open),
    ...(open.container.notes ?? []),
    ...stepNote(open),
  ]
  return {
    name: open.source.name,
    bytes: open.source.size,
    sha256,
    container: open.container.id,
    format: {
      id: open.format.id,
      version: open.recognition.version,
      confidence: open.recognition.confidence,
      evidence: [...open.recognition.evidence],
      ...(open.recognition.rivals === undefined ? {} : { rivals: [...open.recognition.rivals] }),
    },
    records: source.records,
    trajectories: source.trajectories,
    skipped: [...source.skipped],
    missing: missingStreams(source.streams),
    drift: driftTexts(source.drift.values(), source),
    ...(notes.length > 0 ? { notes } : {}),
    ...(open.joined?.length ? { joined: [...open.joined] } : {}),
  }
}

/** How much of a file was rendered from texts, and by whose template. */
export function renderingOf(source: number, facts: readonly TrajectoryFacts[], tokenizer: string | null) {
  const own = facts.filter(({ place }) => place.source === source)
  const rendered = own.filter(({ reconstructed }) => reconstructed)
  const tokens = rendered.reduce((sum, { length }) => sum + length, 0)
  return { tokenizer, rollouts: rendered.length, of: own.length, tokens }
}

export function renderingNote({ tokenizer, rollouts, of, tokens }: NonNullable<SourceReport['rendering']>): string {
  if (tokenizer === null) {
    return 'Its texts were to be rendered, for which no tokenizer is known: name that of the model (--tokenizer, or the line above in the app).'
  }
  const extent = `${rollouts} of ${of} rollouts, ${tokens} tokens`
  return `Its texts were rendered through the chat template of ${tokenizer}, as was asked for, or encoded as they stand where they hold what a template wrote (special tokens that decoding took out are missing): ${extent}. These ids are reconstructed, not recorded: lengths are taken from them, which tokens carry loss is unknown, and no check judges them.`
}

/** Two trainers may write what looks the same; which of them it was only a person knows. */
function rivalNote({ recognition: { rivals } }: OpenSource): string[] {
  const [read, ...others] = rivals ?? []
  if (read === undefined || others.length === 0) return []
  return [
    `Its records may be of ${[read, ...others].join(' or of ')}, which are as sure of them; they are read as ${read}. Say which it is with --read-as ${others[0]} (or ${read}), or where the app lists its files.`,
  ]
}

/** One name for all files may be meant for some of them, and is then no reason to refuse the others. */
function otherFormatNote({ format, recognition: { isNot } }: OpenSource): string[] {
  if (isNot === undefined) return []
  return [`Its records are not of ${isNot}, which --read-as names for all files: they are read as ${format.id}.`]
}

/** Of several scores it is not known how they make up the reward, unless the advantages show it. */
function rewardNote({ recognition: { scores, rewardOf, sameScores } }: OpenSource): string[] {
  if (scores === undefined) return []
  if (rewardOf === undefined) {
    return [
      `Its rewards are scores of ${scores.length} functions (${scores.join(', ')}) whose weights are not in the file, and its advantages do not show that the reward is their plain sum: they are read as components alone. --map reward=NAME takes one of them for the reward.`,
    ]
  }
  if (rewardOf.length === 1) return [`Its reward is ${rewardOf[0]}, as --map says.`]
  const same = (sameScores ?? []).map(([name, score]) => `${name} is ${Number.isNaN(score) ? 'silent' : score}`)
  const untold =
    same.length === 0
      ? ''
      : ` In all of its first rows ${same.join(', ')}, so that its weight does not show: it is taken as that of the others, and a row where it differs has no reward.`
  return [`Its reward is the sum of ${rewardOf.join(', ')}: its advantages are those of this sum.${untold}`]
}

/** A mapping is for what no trainer's format knows, and for fields that its records have. */
function mappingNote({ format, recognition: { unusedMapping } }: OpenSource): string[] {
  if (unusedMapping === undefined) return []
  const why =
    format === native
      ? 'its records are read by their own names, and have nothing there.'
      : `its records are of a known format, ${format.id}, and are read by that.`
  return [`The mapping that was given (${mappingText(unusedMapping)}) is not used: ${why}`]
}

/** Formats that hold the step are believed before the name of a file. */
function stepNote({ format, run }: OpenSource): string[] {
  if (run.step === null || format.streams.includes('step')) return []
  return [`Its rollouts are of step ${run.step} by its name.`]
}

/** Nothing is known of its records, so nothing is said of them: they are neither read nor skipped, no stream is missing. */
export function unreadableReport({ name, bytes, code, message }: UnreadableFile): SourceReport {
  return {
    name,
    bytes,
    sha256: null,
    container: null,
    format: null,
    records: 0,
    trajectories: 0,
    skipped: [],
    missing: [],
    drift: [],
    unreadable: { code, message },
  }
}
