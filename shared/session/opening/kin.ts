import type { AuditSettings, TagWriter } from '../../checks/check.ts'
import { type AlignmentCounts, type AlignmentDecision, decideAlignment } from '../../checks/oracles/alignment.ts'
import { type PaddedEndCounts, padsBehindCuts } from '../../checks/oracles/padded-ends.ts'
import { decideShift, type ShiftCounts } from '../../checks/oracles/shift-beside.ts'
import { type HeadCount, sharedHeads } from '../../checks/reporting/examples.ts'
import { formatById } from '../../formats/registry.ts'
import type { AuditOptions, MaskAlignment, Policy, PolicyId } from '../../model/policy.ts'
import type { Report } from '../../model/report.ts'
import { resolveThresholds, type Thresholds } from '../../model/thresholds/registry.ts'
import { type CandidateFamily, chooseByFits, TIED, turnsByCandidate, UNFRAMED } from '../../tokens/choose.ts'
import type { FittedSequence } from '../../tokens/decisive.ts'
import type { BundledTokenizerId, Tokenizer } from '../../tokens/tokenizer.ts'

/** What makes sources one kin: everything that is decided before the pass is decided for all of them together. */
export interface KinKey {
  readonly formatId: string
  /** Bundled families that their ids may be of; null where they hold text only. */
  readonly families: readonly BundledTokenizerId[] | null
  /** The model that the first record names, null where it names none. */
  readonly model: string | null
}

/** What the sampled records of a kin say. Plain data that adds up over parts of a run: reports carry it, so that merging decides again. */
export interface KinEvidence {
  readonly key: KinKey
  /** Numbers of its sources. */
  readonly sources: readonly number[]
  /** Sampled trajectories with ids. */
  readonly sequences: number
  /** The first model that any of the sampled records names. */
  readonly model: string | null
  readonly candidates: readonly CandidateFamily[]
  readonly fitted: readonly FittedSequence[]
  readonly alignment: AlignmentCounts
  readonly shapes: ShapeCounts
  readonly shifts: ShiftCounts
  readonly paddedEnds: PaddedEndCounts
  /** What rows begin with whose first assistant turns are not trained, nor said to be sampled. */
  readonly heads: readonly HeadCount[]
}

/** What was decided of a kin. */
export interface Kin {
  readonly evidence: KinEvidence
  readonly tokenizer: Report['tokenizer']
  readonly aligned: AlignmentDecision
  readonly policy: Policy
  /** Some rows say that the model writes the blocks between its headers and its words; a row of exact zeros beside them says nothing else. */
  readonly writesBlocks: boolean
  /** Who writes the think tags that turns begin with, where some rows show it. */
  readonly thinkTags: TagWriter | null
  /** How all masks lie that show it: where they lie off, so does one that does not show it. */
  readonly shift: -1 | 0 | 1
  /** Of rows that are padded with their end token, what most train: where one does not, it was cut. */
  readonly padsBehindCuts: boolean
}

/** The tokenizer that a person named. */
export interface GivenTokenizer {
  readonly id: string
  readonly origin: 'given' | 'file' | 'cache'
}

/** Shapes of masks that look like a policy; adds up over parts of a dump. */
export interface ShapeCounts {
  /** Rows of several assistant turns that train something, and those of them that train the last turn only. */
  readonly multiTurn: number
  readonly lastOnly: number
  /** Closed assistant turns that are trained and that a newline follows, and those of them whose newline is trained. */
  readonly closedTurns: number
  readonly newlineOnly: number
  /** Thoughts in turns that train something, before the last turn and in it; and those of them of which nothing is trained. */
  readonly earlierThoughts: number
  readonly earlierThoughtsMasked: number
  readonly lastThoughts: number
  readonly lastThoughtsMasked: number
  /** Rows in which a block stands between the header and the words of a turn of the model, and those that say that it wrote such a block. */
  readonly withBlocks: number
  readonly ownBlocks: number
  /**
   * Rows by the think tags that their turns begin with: the mask leaves one out and trains what stands behind; the mask trains each; both in one row; the
   * dump says that the model wrote one, which the others say nothing of.
   */
  readonly tagsLeftOut: number
  readonly tagsTrained: number
  readonly tagsOfBoth: number
  readonly ownTags: number
}

/** What a policy means to train beside the plain RL mask. */
const INTENDED_BY: Readonly<Record<PolicyId, readonly string[]>> = { rl: [], sft: ['M11'], 'last-turn': ['M03'] }

export function kinName({ formatId, families, model }: KinKey): string {
  return [formatId, families?.join() ?? 'text', model ?? ''].join('\n')
}

/** The tokenizer that was named, else the bundled family that the ids speak for, else none. */
export function decideTokenizer(
  { key, candidates, fitted, model }: Pick<KinEvidence, 'key' | 'candidates' | 'fitted' | 'model'>,
  given: GivenTokenizer | null,
): Report['tokenizer'] {
  if (given !== null) return asGiven({ candidates, fitted }, given)
  if (key.families === null) {
    return { id: null, origin: 'none', confidence: 0, evidence: ['no token ids in this dump'] }
  }
  const { id, confidence, evidence } = chooseByFits(candidates, fitted, { model })
  return id === null
    ? { id, origin: 'none', confidence: 0, evidence: [...evidence] }
    : { id, origin: 'bundled', confidence, evidence: [...evidence] }
}

/** Its tokenizer was guessed from ids that another family has as well. */
export function isGuessed({ tokenizer: { origin, confidence } }: Pick<Kin, 'tokenizer'>): boolean {
  return origin === 'bundled' && confidence <= TIED
}

/** What a person names is taken, and held against the ids all the same: whether it opens any turn in them, and whether another does. */
function asGiven(
  { candidates, fitted }: Pick<KinEvidence, 'candidates' | 'fitted'>,
  { id, origin }: GivenTokenizer,
): Report['tokenizer'] {
  const named = { id, origin, confidence: 1, evidence: ['named by the person'] }
  const turns = turnsByCandidate(candidates, fitted)
  const own = turns.findLast(({ family }) => family.id === id)
  if (own === undefined || own.headers > 0 || fitted.length === 0) return named
  const { start } = own.family
  if (start === UNFRAMED.untemplated) {
    return {
      ...named,
      lacks: `turns in the ids: ${id} has no chat template that says how they begin (chat_template.jinja, or a tokenizer_config.json with one, beside its tokenizer.json)`,
    }
  }
  if (start.startsWith(UNFRAMED.broken)) {
    return {
      ...named,
      lacks: `turns in the ids: the chat template of ${id} tells nothing of how they begin. ${start.slice(UNFRAMED.broken.length).replace(/\.$/, '')}`,
    }
  }
  if (start === UNFRAMED.templated) {
    return {
      ...named,
      lacks: `turns in the ids: the chat template of ${id} opens them with ordinary text or in ways that could not be learned, so nothing in the ids tells where they begin`,
    }
  }
  const other = turns
    .filter(({ isFramed }) => isFramed)
    .toSorted((a, b) => b.headers - a.headers)
    .at(0)
  if (other === undefined) return { ...named, evidence: [...named.evidence, `no turn starts (${start}) in the ids`] }
  const found = `no turn starts (${start}) in these ids, in which ${other.family.id} has ${other.headers}`
  return {
    ...named,
    confidence: 0,
    evidence: [...named.evidence, found],
    lacks: `turns in the ids: ${found}, so ${id} is not what they were made with (--tokenizer ${other.family.id})`,
  }
}

/** The tokenizer as the ids are read with it: one that they contradict shows texts, and nothing is judged by its turns. */
export function asRead(
  tokenizer: Tokenizer | null,
  { tokenizer: { lacks } }: Pick<Kin, 'tokenizer'>,
): Tokenizer | null {
  return tokenizer === null || lacks === undefined ? tokenizer : { ...tokenizer, frame: null, template: null }
}

/** How the masks of a format are aligned, where it or the person says so. */
export function declaredAlignment(
  formatId: string,
  options: AuditOptions,
): { readonly documented: MaskAlignment | null; readonly given: MaskAlignment | 'auto' } {
  return { documented: formatById(formatId)?.maskAlignment ?? null, given: options.maskAlignment ?? 'auto' }
}

export function alignKin(
  formatId: string,
  counts: AlignmentCounts,
  options: AuditOptions,
  thresholds: Thresholds,
): AlignmentDecision {
  const { documented, given } = declaredAlignment(formatId, options)
  return decideAlignment(counts, documented, given, thresholds)
}

/** The policy before anything of the masks is known. `formatId` null: of no source at all. */
export function declaredPolicy(formatId: string | null, options: AuditOptions, alignment: MaskAlignment): Policy {
  const documented = formatId === null ? null : (formatById(formatId)?.policy ?? null)
  const id = options.policy ?? documented?.id ?? 'rl'
  const origin = options.policy !== undefined ? 'given' : documented !== null ? 'format' : 'default'
  return {
    id,
    origin,
    evidence: origin === 'format' && documented !== null ? [documented.evidence] : [],
    intended: [...new Set([...INTENDED_BY[id], ...(options.intend ?? [])])].sort(),
    suggested: null,
    mask_alignment: alignment,
  }
}

/** Everything that is decided of a kin, from all of its evidence. */
export function decideKin(evidence: KinEvidence, options: AuditOptions, given: GivenTokenizer | null): Kin {
  const thresholds = resolveThresholds(options.thresholds)
  const { formatId } = evidence.key
  const aligned = alignKin(formatId, evidence.alignment, options, thresholds)
  const policy = declaredPolicy(formatId, options, aligned.alignment)
  const examples = examplesInPrompt(evidence.heads, thresholds)
  const suggested = examples === null ? suggestPolicy(evidence.shapes, thresholds) : null
  return {
    evidence,
    tokenizer: decideTokenizer(evidence, given),
    aligned,
    writesBlocks: evidence.shapes.ownBlocks > 0,
    thinkTags: tagWriter(evidence.shapes),
    shift: aligned.undecided ? 0 : decideShift(evidence.shifts, thresholds),
    padsBehindCuts: !aligned.undecided && padsBehindCuts(evidence.paddedEnds),
    policy: {
      ...policy,
      suggested: suggested === null || isDeclared(suggested, policy) ? null : suggested,
      ...(examples === null ? {} : { evidence: [...policy.evidence, examples], examples_in_prompt: true }),
    },
  }
}

/** What a policy intends may have been declared code by code: then nothing of it counts as a fault. */
function isDeclared(suggested: PolicyId, { id, intended }: Policy): boolean {
  return id === suggested || INTENDED_BY[suggested].every((code) => intended.includes(code))
}

/** Few masks that leave tags out may as well begin late. Rows that say of a tag that the model wrote it leave open what those beside them mean. */
function tagWriter({ tagsLeftOut, tagsTrained, ownTags }: ShapeCounts): TagWriter | null {
  if (ownTags > 0) return 'model'
  return tagsLeftOut >= 2 && tagsLeftOut >= TAG_SHARE * (tagsLeftOut + tagsTrained) ? 'template' : null
}

/** Of the rows with think tags of which nobody says who wrote them: an environment of four may be the one whose masks are right. */
const TAG_SHARE = 0.25

/** What shows that the prompts hold examples, null where nothing does: what is masked before the first trained turn is the same in other rows. */
function examplesInPrompt(counts: readonly HeadCount[], thresholds: Thresholds): string | null {
  const { heads, shared } = sharedHeads(counts)
  if (shared < 2 || shared < thresholds['convention-share'] * heads) return null
  return `${shared} of ${heads} sampled rollouts begin with the same untrained assistant turns as others, before their own questions: taken for examples in the prompt`
}

/** What the shape of the sampled masks looks like; it silences nothing until the person accepts it. */
function suggestPolicy(
  { multiTurn, lastOnly, closedTurns, newlineOnly }: ShapeCounts,
  thresholds: Thresholds,
): PolicyId | null {
  const share = thresholds['convention-share']
  if (multiTurn >= 2 && lastOnly >= share * multiTurn) return 'last-turn'
  if (closedTurns >= 2 && newlineOnly >= share * closedTurns) return 'sft'
  return null
}

/** Before any rollout showed what holds for those beside it. */
export const NOTHING_SHOWN = { writesBlocks: false, thinkTags: null, shift: 0, padsBehindCuts: false } as const

/** Under which the rollouts of a kin are looked at. */
export function kinSettings(
  {
    policy,
    aligned,
    ...shown
  }: Pick<Kin, 'policy' | 'aligned' | 'writesBlocks' | 'thinkTags' | 'shift' | 'padsBehindCuts'>,
  options: AuditOptions,
): AuditSettings {
  return {
    options,
    policy,
    alignment: aligned.alignment,
    alignmentUndecided: aligned.undecided,
    ...(shown.writesBlocks ? { writesBlocks: true } : {}),
    ...(shown.thinkTags === null ? {} : { thinkTags: shown.thinkTags }),
    ...(shown.shift === 0 ? {} : { maskShift: shown.shift }),
    ...(shown.padsBehindCuts ? { padsBehindCuts: true } : {}),
    limits: options.limits ?? {},
    thresholds: resolveThresholds(options.thresholds),
  }
}

/**
 * What holds for the dump as a whole: that of its files where they agree, else that of the kin with the most sampled sequences, the
 * others named.
 *
 * @param names of the sources
 */
export function wholeSettings(kins: readonly Kin[], names: readonly string[], options: AuditOptions): AuditSettings {
  const main = mainKin(kins)
  if (main === null) {
    const alignment = options.maskAlignment === 'target' ? 'target' : 'token'
    return kinSettings(
      {
        policy: declaredPolicy(null, options, alignment),
        aligned: { alignment, undecided: false },
        ...NOTHING_SHOWN,
      },
      options,
    )
  }
  const unlike = kins
    .filter(
      ({ policy, aligned }) =>
        policy.id !== main.policy.id ||
        aligned.alignment !== main.aligned.alignment ||
        aligned.undecided !== main.aligned.undecided,
    )
    .map(({ policy, aligned, evidence: { sources } }) => ({
      words: `${policy.id}, mask alignment ${aligned.alignment}${aligned.undecided ? ' (undecided)' : ''}`,
      sources,
    }))
  // A folder of many kinds of files has few policies: each is told once, with its files.
  const evidence = [...new Set(unlike.map(({ words }) => words))].map((words) => {
    const alike = unlike.filter((each) => each.words === words).flatMap(({ sources }) => sources)
    return `${listed(
      alike.toSorted((a, b) => a - b),
      names,
    )}: ${words}`
  })
  const examples = kins.some(({ policy }) => policy.examples_in_prompt)
  const undecided = kins.filter(({ aligned }) => aligned.undecided)
  const isPart = undecided.length > 0 && undecided.length < kins.length
  return {
    ...kinSettings(main, options),
    alignmentUndecided: undecided.length > 0,
    ...(isPart
      ? {
          alignmentUndecidedIn: listed(
            undecided.flatMap(({ evidence: { sources } }) => sources),
            names,
          ),
        }
      : {}),
    policy: {
      ...main.policy,
      evidence: [...main.policy.evidence, ...evidence],
      ...(examples ? { examples_in_prompt: true } : {}),
    },
  }
}

/** @param names of the sources */
export function wholeTokenizer(kins: readonly Kin[], names: readonly string[]): Report['tokenizer'] {
  const main = mainKin(kins)
  if (main === null) return { id: null, origin: 'none', confidence: 0, evidence: ['nothing was opened'] }
  const evidence = kins
    .filter(
      ({ tokenizer, evidence: { sequences } }) =>
        sequences > 0 && (tokenizer.id !== main.tokenizer.id || tokenizer.lacks !== main.tokenizer.lacks),
    )
    .map(
      ({ tokenizer, evidence: { sources } }) =>
        `${listed(sources, names)}: ${tokenizer.id ?? 'none'} (${tokenizer.lacks ?? tokenizer.evidence[0] ?? ''})`,
    )
  return { ...main.tokenizer, evidence: [...main.tokenizer.evidence, ...evidence] }
}

function mainKin(kins: readonly Kin[]): Kin | null {
  return kins.reduce<Kin | null>(
    (most, kin) => (most === null || kin.evidence.sequences > most.evidence.sequences ? kin : most),
    null,
  )
}

function listed(sources: readonly number[], all: readonly string[]): string {
  const names = sources.map((source) => all[source] as string)
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`
}
