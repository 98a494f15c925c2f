import { whyNotHashed } from '../model/not-hashed.ts'
import { count, counted } from '../model/number-text.ts'
import type { Report, SourceReport } from '../model/report.ts'
import type { ExportRequest } from './export.ts'
import type { ExportId, ExportInput, ExportOutcome } from './export-kind.ts'
import type { MaskRepairs } from './repair.ts'

export const MANIFEST_SCHEMA = 'rollout-inspector.export/1'

/** Says what an export holds, where it came from and why, so that it can be understood and checked without the dump. */
export interface Manifest {
  schema: typeof MANIFEST_SCHEMA
  tool: Report['tool']
  as: ExportId
  /** The question that chose the trajectories. */
  why: string
  policy: string
  tokenizer: string | null
  sources: {
    name: string
    bytes: number
    sha256: string | null
    /** Why it has no SHA-256. Present where it has none. */
    not_hashed?: string
    container: string | null
    format: string | null
  }[]
  /** `records` counts lines or rows of data; `trajectories` those that were chosen. */
  files: { name: string; source: number | null; records: number; trajectories: number }[]
  trajectories: {
    source: number
    record: number
    part: number
    trajectory: string
    group: string | null
    /** Codes of the findings that the policy does not intend. */
    findings: string[]
    /** Tokens whose mask was repaired in these files; null where nothing tells what it should be. Absent in exports that change nothing. */
    repaired?: number | null
    /** Why the dump masked the whole row, on purpose as it seems. Where `repaired` is above 0 it trains again. Only beside `repaired`. */
    masked_whole?: string
  }[]
  notes: string[]
}

export function createManifest(request: ExportRequest, input: ExportInput, outcome: ExportOutcome): Manifest {
  const { report, origin, repairs } = input
  return {
    schema: MANIFEST_SCHEMA,
    tool: report.tool,
    as: request.as,
    why: request.why,
    policy: report.policy.id,
    tokenizer: report.tokenizer.id,
    sources: report.sources.map((source) => ({
      name: source.name,
      bytes: source.bytes,
      ...hashOf(source),
      container: source.container,
      format: source.format?.id ?? null,
    })),
    files: outcome.files.map((file) => ({ ...file })),
    trajectories: input.indices.map((index) => {
      const facts = origin.facts[index]!
      return {
        source: facts.place.source,
        record: facts.place.record,
        part: facts.place.part,
        trajectory: facts.id,
        group: facts.group,
        findings: [...origin.codesOf(index)],
        ...(repairs === null ? {} : repairsOf(index, repairs)),
      }
    }),
    notes: [
      ...outcome.notes,
      ...maskedWholeNotes(repairs),
      ...untrainedNotes(request.as, repairs),
      ...unscoredNotes(request.as, repairs),
    ],
  }
}

function hashOf(source: SourceReport) {
  const why = whyNotHashed(source)
  return { sha256: source.sha256, ...(why === null ? {} : { not_hashed: why }) }
}

function repairsOf(index: number, { changed, maskedWhole }: MaskRepairs) {
  const because = maskedWhole.get(index)
  return { repaired: changed.get(index) ?? null, ...(because === undefined ? {} : { masked_whole: because }) }
}

function maskedWholeNotes(repairs: MaskRepairs | null): string[] {
  if (repairs === null || repairs.maskedWhole.size === 0) return []
  const rows = repairs.maskedWhole.size
  const trained = [...repairs.maskedWhole.keys()].filter((index) => (repairs.changed.get(index) ?? 0) > 0).length
  const left = rows - trained
  const stays = left === 1 ? 'left as it is' : 'left as they are'
  const were = `${counted(rows, 'rollout')} ${rows === 1 ? 'was' : 'were'} masked whole by the run, because a limit cut ${rows === 1 ? 'it' : 'them'} or a filter left ${rows === 1 ? 'it' : 'them'} out ("masked_whole")`
  if (left === 0) return [`${were}: trained again here.`]
  return [
    trained === 0 ? `${were}: ${stays}.` : `${were}: ${count(trained)} trained again here, ${count(left)} ${stays}.`,
  ]
}

function untrainedNotes(as: ExportId, repairs: MaskRepairs | null): string[] {
  // Rows for supervised fine-tuning hold no such mask: they are messages, or left out and counted there.
  if (repairs === null || repairs.untrained === 0 || as === 'sft') return []
  const rows = repairs.untrained
  return [
    `${counted(rows, 'rollout')} ${rows === 1 ? 'has' : 'have'} no trained token once ${rows === 1 ? 'its mask is' : 'their masks are'} repaired: nothing in ${rows === 1 ? 'it' : 'them'} is what this policy trains.`,
  ]
}

function unscoredNotes(as: ExportId, repairs: MaskRepairs | null): string[] {
  // Nor do they hold logprobs.
  if (repairs === null || repairs.unscored === 0 || as === 'sft') return []
  return [
    `${counted(repairs.unscored, 'token')} of those that train again ${repairs.unscored === 1 ? 'has' : 'have'} 0.0 or no number for a logprob here, which may be a placeholder (L05): score them before a trainer compares sampler and trainer.`,
  ]
}

/** The manifest as JSON, in pieces: that of a million rollouts is long. */
export function* manifestText(manifest: Manifest): Generator<string, void> {
  const { trajectories } = manifest
  // No text of a file or a person holds a bare line break here, so the empty list is found where it stands.
  const empty = '\n  "trajectories": []'
  const [before, after] = JSON.stringify({ ...manifest, trajectories: [] }, null, 2).split(empty)
  if (trajectories.length === 0) {
    yield `${before}${empty}${after}\n`
    return
  }
  yield `${before}\n  "trajectories": [\n`
  for (let at = 0; at < trajectories.length; at += PIECE) {
    const piece = trajectories.slice(at, at + PIECE).map(indented)
    yield `${at === 0 ? '' : ',\n'}${piece.join(',\n')}`
  }
  yield `\n  ]${after}\n`
}

/** Rollouts that are written at once. */
const PIECE = 1000

function indented(trajectory: Manifest['trajectories'][number]): string {
  return `    ${JSON.stringify(trajectory, null, 2).replaceAll('\n', '\n    ')}`
}
