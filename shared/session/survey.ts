import { decideAlignment } from '../checks/alignment.ts'
import type { AuditSettings, TrajectoryView } from '../checks/check.ts'
import { createView } from '../checks/view.ts'
import type { AuditOptions, Policy, PolicyId } from '../model/policy.ts'
import type { Report } from '../model/report.ts'
import { LIMIT_NAMES, type Limits, type Stream } from '../model/streams.ts'
import { resolveThresholds, type Thresholds } from '../model/thresholds/registry.ts'
import { plausibleFamilies } from '../tokens/plausible.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { isLimit } from './batch.ts'
import type { EngineHost } from './host.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import type { OpenSource } from './open-source.ts'
import { pickTokenizer } from './pick-tokenizer.ts'
import type { AuditPlan, TokenizerReference } from './plan.ts'
import { type PreparedTokenizer, prepared } from './prepared-tokenizer.ts'
import { streamsOf } from './streams.ts'

/** What was decided before the pass, from the first records of each source and what the person declared. */
export interface Survey {
  readonly plan: AuditPlan
  /** By source. */
  readonly tokenizers: readonly (Tokenizer | null)[]
  readonly tokenizerReport: Report['tokenizer']
}

/** What a policy means to train beside the plain RL mask; faults.md calls it "explains". */
const INTENDED_BY: Readonly<Record<PolicyId, readonly string[]>> = { rl: [], sft: ['M11'], 'last-turn': ['M03'] }

/**
 * Decides per kin: files that one person opens together may come from different trainers and models, and a tokenizer or a
 * policy that fits one of them says nothing of the other.
 */
export async function survey(
  sources: readonly OpenSource[],
  options: AuditOptions,
  host: EngineHost,
  added: readonly TokenizerReference[],
): Promise<Survey> {
  const kins: Kin[] = []
  const kinOf = new Map<OpenSource, Kin>()
  for (const members of [...kinships(sources).values()]) {
    const kin = await surveyKin(members, options, host, added)
    kins.push(kin)
    for (const source of members) kinOf.set(source, kin)
  }
  const shared = {
    streams: new Set(kins.flatMap(({ settings }) => [...settings.streams])),
    limits: limitsOf(kins, options),
  }
  const whole = dumpSettings(kins, options, shared)
  const bySource = sources.map((source) => kinOf.get(source) as Kin)
  return {
    plan: {
      settings: whole,
      sources: sources.map(({ container, format, recognition }, index) => {
        const { reference, prepared, settings } = bySource[index] as Kin
        return {
          formatId: format.id,
          recognition,
          metadata: container.metadata,
          tokenizer: reference,
          prepared,
          settings: { ...settings, ...shared },
        }
      }),
      checks: options.checks ?? null,
    },
    tokenizers: bySource.map(({ tokenizer }) => tokenizer),
    tokenizerReport: tokenizerReport(kins),
  }
}

/** Sources that share what is decided before the pass. */
interface Kin {
  readonly names: readonly string[]
  readonly sequences: number
  readonly reference: TokenizerReference | null
  readonly tokenizer: Tokenizer | null
  readonly prepared: PreparedTokenizer | null
  readonly report: Report['tokenizer']
  readonly settings: AuditSettings
}

function kinships(sources: readonly OpenSource[]): Map<string, OpenSource[]> {
  const kins = new Map<string, OpenSource[]>()
  for (const source of sources) {
    const sequences = source.sample.flatMap(({ ids }) => ids ?? [])
    const families = sequences.length === 0 ? 'text' : plausibleFamilies(sequences).join()
    const key = `${source.format.id}\n${families}\n${source.sample[0]?.model ?? ''}`
    const members = kins.get(key)
    if (members === undefined) kins.set(key, [source])
    else members.push(source)
  }
  return kins
}

async function surveyKin(
  sources: readonly OpenSource[],
  options: AuditOptions,
  host: EngineHost,
  added: readonly TokenizerReference[],
): Promise<Kin> {
  const picked = await pickTokenizer(sources, options.tokenizer ?? null, host, added)
  const tokenizer = await loadTokenizer(picked.reference, host.bundledTokenizers)
  const streams = new Set<Stream>()
  const limits: Partial<Limits> = {}
  for (const { sample } of sources) {
    for (const trajectory of sample) {
      for (const stream of streamsOf(trajectory, tokenizer)) streams.add(stream)
      for (const name of LIMIT_NAMES) {
        const limit = trajectory.limits?.[name] ?? null
        if (isLimit(limit)) limits[name] = Math.max(limits[name] ?? 0, limit)
      }
    }
  }
  const base = policyOf(sources, options)
  const provisional: AuditSettings = {
    options,
    policy: base,
    alignment: 'token',
    alignmentUndecided: false,
    streams,
    limits,
    thresholds: resolveThresholds(options.thresholds),
  }
  const aligned = decideAlignment(
    viewsOf(sources, tokenizer, provisional),
    documentedAlignment(sources),
    options.maskAlignment ?? 'auto',
    provisional.thresholds,
  )
  const settled: AuditSettings = {
    ...provisional,
    alignment: aligned.alignment,
    alignmentUndecided: aligned.undecided,
    policy: { ...base, mask_alignment: aligned.alignment },
  }
  const suggested = suggestPolicy(viewsOf(sources, tokenizer, settled), settled.thresholds)
  const policy = { ...settled.policy, suggested: suggested === base.id ? null : suggested }
  return {
    names: sources.map(({ source }) => source.name),
    sequences: sources.reduce((sum, { sample }) => sum + sample.filter(({ ids }) => ids !== null).length, 0),
    reference: picked.reference,
    tokenizer,
    prepared: tokenizer === null ? null : prepared(tokenizer),
    report: picked.report,
    settings: { ...settled, policy },
  }
}

/** What holds for the dump as a whole: that of its files where they agree, else that of the kin with the most sampled sequences, the others named. */
function dumpSettings(
  kins: readonly Kin[],
  options: AuditOptions,
  shared: Pick<AuditSettings, 'streams' | 'limits'>,
): AuditSettings {
  const main = mainKin(kins)
  if (main === null) {
    const policy = policyOf([], options)
    const alignment = options.maskAlignment === 'target' ? 'target' : 'token'
    return {
      options,
      policy: { ...policy, mask_alignment: alignment },
      alignment,
      alignmentUndecided: false,
      thresholds: resolveThresholds(options.thresholds),
      ...shared,
    }
  }
  const others = kins.filter(
    ({ settings }) => settings.policy.id !== main.settings.policy.id || settings.alignment !== main.settings.alignment,
  )
  const evidence = others.map(
    ({ names, settings }) => `${listed(names)}: ${settings.policy.id}, mask alignment ${settings.alignment}`,
  )
  return {
    ...main.settings,
    alignmentUndecided: kins.some(({ settings }) => settings.alignmentUndecided),
    policy: { ...main.settings.policy, evidence: [...main.settings.policy.evidence, ...evidence] },
    ...shared,
  }
}

/**
 * Limits that the person gave, else those of the sampled records: the largest where they differ, since what reaches that one
 * was limited in any case. The same for all files, as checks over the whole dump go on where those of one rollout leave off.
 */
function limitsOf(kins: readonly Kin[], options: AuditOptions): Partial<Limits> {
  const limits: Partial<Limits> = {}
  for (const name of LIMIT_NAMES) {
    const sampled = kins.flatMap(({ settings }) => settings.limits[name] ?? [])
    const limit = options.limits?.[name] ?? (sampled.length === 0 ? null : Math.max(...sampled))
    if (limit !== null) limits[name] = limit
  }
  return limits
}

function tokenizerReport(kins: readonly Kin[]): Report['tokenizer'] {
  const main = mainKin(kins)
  if (main === null) return { id: null, origin: 'none', confidence: 0, evidence: ['nothing was opened'] }
  const others = kins.filter(({ report, sequences }) => sequences > 0 && report.id !== main.report.id)
  const evidence = others.map(
    ({ names, report }) => `${listed(names)}: ${report.id ?? 'none'} (${report.evidence[0] ?? ''})`,
  )
  return { ...main.report, evidence: [...main.report.evidence, ...evidence] }
}

function mainKin(kins: readonly Kin[]): Kin | null {
  return kins.reduce<Kin | null>((most, kin) => (most === null || kin.sequences > most.sequences ? kin : most), null)
}

function listed(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
}

function policyOf(sources: readonly OpenSource[], options: AuditOptions): Policy {
  const documented = sources[0]?.format.policy ?? null
  const agreed = documented !== null && sources.every(({ format }) => format.policy?.id === documented.id)
  const id = options.policy ?? (agreed ? documented.id : 'rl')
  const origin = options.policy !== undefined ? 'given' : agreed ? 'format' : 'default'
  return {
    id,
    origin,
    evidence: origin === 'format' && documented !== null ? [documented.evidence] : [],
    intended: [...new Set([...INTENDED_BY[id], ...(options.intend ?? [])])].sort(),
    suggested: null,
    mask_alignment: 'token',
  }
}

function documentedAlignment(sources: readonly OpenSource[]) {
  const alignments = new Set(sources.map(({ format }) => format.maskAlignment))
  return alignments.size === 1 ? ([...alignments][0] ?? null) : null
}

function viewsOf(
  sources: readonly OpenSource[],
  tokenizer: Tokenizer | null,
  settings: AuditSettings,
): TrajectoryView[] {
  return sources.flatMap(({ sample, format }) =>
    sample.flatMap(
      (trajectory) =>
        createView(trajectory, {
          tokenizer,
          settings,
          unsampledLogprob: format.unsampledLogprob,
          maskImplied: format.maskImplied,
        }) ?? [],
    ),
  )
}

/** What the shape of the sampled masks looks like; it silences nothing until the person accepts it. */
function suggestPolicy(views: readonly TrajectoryView[], thresholds: Thresholds): PolicyId | null {
  const nearlyAll = thresholds['convention-share']
  let multiTurn = 0
  let lastOnly = 0
  let closedTurns = 0
  let newlineOnly = 0
  for (const { segmentation, mask } of views) {
    if (segmentation === null || mask === null) continue
    const assistant = segmentation.turns.filter(({ kind }) => kind === 'assistant')
    const trained = assistant.map(({ contentStart, contentEnd }) => mask.subarray(contentStart, contentEnd).includes(1))
    if (assistant.length > 1 && trained.includes(true)) {
      multiTurn++
      if (trained.lastIndexOf(false) === trained.length - 2 && !trained.slice(0, -1).includes(true)) lastOnly++
    }
    for (const [index, turn] of assistant.entries()) {
      if (turn.endToken < 0 || turn.end === turn.separatorStart || !trained[index]) continue
      closedTurns++
      const headerTrained = turn.header === 'present' && mask[turn.start] === 1
      // A mask that lies one token late trains the newline too, but not the first word.
      if (mask[turn.separatorStart] === 1 && !headerTrained && mask[turn.contentStart] === 1) newlineOnly++
    }
  }
  if (multiTurn >= 2 && lastOnly >= nearlyAll * multiTurn) return 'last-turn'
  if (closedTurns >= 2 && newlineOnly >= nearlyAll * closedTurns) return 'sft'
  return null
}
