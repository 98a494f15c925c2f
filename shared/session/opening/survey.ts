import type { AuditSettings, ModelVocabulary } from '../../checks/check.ts'
import { isLaterCall } from '../../checks/grouping/branch-ends.ts'
import { environmentFact } from '../../checks/grouping/environment.ts'
import { forgetLast } from '../../checks/of-last.ts'
import { countAlignment } from '../../checks/oracles/alignment.ts'
import { mayBeSampled } from '../../checks/oracles/example-turns.ts'
import { openTags } from '../../checks/oracles/open-think.ts'
import { countPaddedEnds } from '../../checks/oracles/padded-ends.ts'
import { hidesEdges } from '../../checks/oracles/shape.ts'
import { countShifts } from '../../checks/oracles/shift-beside.ts'
import { countHeads } from '../../checks/reporting/examples.ts'
import { DRIFT_GROUPS, DRIFT_RECORDS, driftTokens } from '../../checks/template/drift.ts'
import { type PreparedView, prepareView } from '../../checks/view.ts'
import { checksToRun } from '../../hypotheses/checks-to-run.ts'
import type { AuditOptions } from '../../model/policy.ts'
import { resolveThresholds } from '../../model/thresholds/registry.ts'
import type { Turn } from '../../model/tokens.ts'
import { fitSequences } from '../../tokens/choose.ts'
import { plausibleFamilies } from '../../tokens/plausible.ts'
import { BUNDLED_TOKENIZERS, type Tokenizer } from '../../tokens/tokenizer.ts'
import type { AuditPlan, SourcePlan, TokenizerReference } from '../audit/plan.ts'
import type { EngineHost } from '../host.ts'
import {
  alignKin,
  asRead,
  decideKin,
  decideTokenizer,
  declaredAlignment,
  declaredPolicy,
  type GivenTokenizer,
  isGuessed,
  type Kin,
  type KinEvidence,
  type KinKey,
  kinName,
  kinSettings,
  NOTHING_SHOWN,
  type ShapeCounts,
  wholeSettings,
} from './kin.ts'
import { isBundled, loadTokenizer } from './load-tokenizer.ts'
import { modelVocabulary } from './model-vocabulary.ts'
import type { OpenSource } from './open-source.ts'
import { prepared } from './prepared-tokenizer.ts'

/** What was decided before the pass, from the first records of each source and what the person declared. */
export interface Survey {
  readonly plan: AuditPlan
  /** By source. */
  readonly tokenizers: readonly (Tokenizer | null)[]
  readonly kins: readonly Kin[]
  /** The tokenizer that the person named, null where none was. */
  readonly given: TokenizerReference | null
}

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
  const given = namedBy(options, added)
  const kins: SurveyedKin[] = []
  const kinOf = new Map<number, SurveyedKin>()
  for (const { key, members } of kinships(sources)) {
    const kin = await surveyKin(key, members, sources, options, host, given)
    kins.push(kin)
    for (const source of members) kinOf.set(source, kin)
  }
  forgetLast()
  const names = sources.map(({ source }) => source.name)
  const bySource = sources.map((_, index) => kinOf.get(index) as SurveyedKin)
  const settings = new Map(kins.map((kin) => [kin, settingsOf(kin, options)]))
  return {
    plan: {
      settings: wholeSettings(kins, names, options),
      sources: sources.map((open, index) => {
        const kin = bySource[index] as SurveyedKin
        return sourcePlan(open, kin, settings.get(kin) as AuditSettings, kin.drifting.has(index))
      }),
      checks: checksToRun(options),
    },
    tokenizers: bySource.map(({ loaded }) => loaded),
    kins,
    given,
  }
}

/** Under which the sources of a kin are read, one object for all of them. */
export function settingsOf(kin: Omit<SurveyedKin, 'drifting'>, options: AuditOptions): AuditSettings {
  return {
    ...kinSettings(kin, options),
    ...(kin.vocabulary ? { modelVocabulary: kin.vocabulary } : {}),
    ...(isGuessed(kin) ? { isTokenizerGuessed: true } : {}),
  }
}

/** What a source is read under, as one of its kin, whose settings are given. */
export function sourcePlan(
  { container, format, recognition, run }: OpenSource,
  kin: Omit<SurveyedKin, 'drifting'>,
  settings: AuditSettings,
  measuresDrift: boolean,
): SourcePlan {
  return {
    formatId: format.id,
    recognition,
    metadata: container.metadata,
    run,
    tokenizer: kin.reference,
    prepared: kin.loaded === null ? null : prepared(kin.loaded),
    settings,
    measuresDrift,
    // Its first rollouts, and those of its kin, hold no ids.
    rendersTexts: settings.options.renderTexts === true && kin.evidence.key.families === null,
  }
}

/** One source surveyed by itself, number 0 in its evidence; under what was decided of its kin, where that is known. */
export async function surveySource(
  open: OpenSource,
  options: AuditOptions,
  host: EngineHost,
  added: readonly TokenizerReference[],
  under: Pick<Kin, 'tokenizer' | 'aligned'> | null = null,
): Promise<SurveyedKin> {
  const given = namedBy(options, added)
  const [kinship] = kinships([open])
  return surveyKin((kinship as { key: KinKey }).key, [0], [open], options, host, given, under)
}

/** The tokenizer that a person named, null where none was. Throws where there is none of that name. */
export function namedBy(options: AuditOptions, added: readonly TokenizerReference[]): TokenizerReference | null {
  return options.tokenizer === undefined ? null : namedTokenizer(options.tokenizer, added)
}

export interface SurveyedKin extends Kin {
  readonly reference: TokenizerReference | null
  readonly loaded: Tokenizer | null
  /** Null where the ids are read with the tokenizer of the model that the dump names, or with one that a person named. */
  readonly vocabulary: ModelVocabulary | null
  /** Sources that hold enough sampled text to tell whether it was encoded again. */
  readonly drifting: ReadonlySet<number>
}

function kinships(sources: readonly OpenSource[]): { readonly key: KinKey; readonly members: number[] }[] {
  const kins = new Map<string, { readonly key: KinKey; readonly members: number[] }>()
  for (const [index, { format, sample }] of sources.entries()) {
    const sequences = sample.flatMap(({ ids }) => ids ?? [])
    const key: KinKey = {
      formatId: format.id,
      families: sequences.length === 0 ? null : plausibleFamilies(sequences),
      model: sample[0]?.model ?? null,
    }
    const kin = kins.get(kinName(key))
    if (kin === undefined) kins.set(kinName(key), { key, members: [index] })
    else kin.members.push(index)
  }
  return [...kins.values()]
}

async function surveyKin(
  key: KinKey,
  members: readonly number[],
  all: readonly OpenSource[],
  options: AuditOptions,
  host: EngineHost,
  given: TokenizerReference | null,
  under: Pick<Kin, 'tokenizer' | 'aligned'> | null = null,
): Promise<SurveyedKin> {
  const sources = members.map((index) => all[index] as OpenSource)
  const trajectories = sources.flatMap(({ sample }) => sample)
  const model = trajectories.find((trajectory) => trajectory.model !== null)?.model ?? null
  const named = givenTokenizer(given)
  // Side by side: on a page each is fetched.
  const families = await Promise.all(
    (key.families ?? []).map((id) => loadTokenizer({ kind: 'bundled', id }, host.bundledTokenizers)),
  )
  const sequences = trajectories.flatMap(({ ids }) => ids ?? [])
  const isOther = given !== null && (given.kind === 'files' || !key.families?.includes(given.id))
  const other = isOther && sequences.length > 0 ? await loadTokenizer(given, host.bundledTokenizers) : null
  const candidates = [...families, other].flatMap((candidate) => candidate ?? [])
  const fitted = fitSequences(sequences, candidates)
  const looked = { key, model, candidates: fitted.families, fitted: fitted.sequences }
  const chosen = under?.tokenizer ?? decideTokenizer(looked, named)
  const reference = referenceTo(chosen.id, given)
  const loaded = asRead(await loadTokenizer(reference, host.bundledTokenizers), { tokenizer: chosen })

  const thresholds = resolveThresholds(options.thresholds)
  const viewsUnder = (alignment: AuditSettings['alignment'], mayMarkTargets = false) => {
    const policy = declaredPolicy(key.formatId, options, alignment)
    const settings = kinSettings({ policy, aligned: { alignment, undecided: false }, ...NOTHING_SHOWN }, options)
    return viewsOf(sources, loaded, settings, mayMarkTargets)
  }
  const { documented, given: declared } = declaredAlignment(key.formatId, options)
  // Where it is declared nothing is compared.
  const masks = documented === null && declared === 'auto' ? viewsUnder('token', true) : null
  const alignment = countAlignment(masks ?? [], thresholds)
  const aligned = under?.aligned ?? alignKin(key.formatId, alignment, options, thresholds)
  const views = (aligned.alignment === 'token' ? masks : null) ?? viewsUnder(aligned.alignment)
  const evidence: KinEvidence = {
    ...looked,
    sources: members,
    sequences: sequences.length,
    alignment,
    shapes: countShapes(views),
    shifts: countShifts(views, thresholds),
    paddedEnds: countPaddedEnds(views),
    heads: countHeads(views),
  }
  const asked = checksToRun(options)?.includes('T02') ?? true
  const drifting = asked ? sourcesWithText(views, thresholds['drift-tokens']) : new Set<number>()
  const vocabulary = given === null ? await modelVocabulary(evidence, chosen.id, host.bundledTokenizers) : null
  return { ...decideKin(evidence, options, named), ...under, reference, loaded, drifting, vocabulary }
}

/** How workers get the tokenizer that was chosen. */
export function referenceTo(id: string | null, given: TokenizerReference | null): TokenizerReference | null {
  return given ?? (id !== null && isBundled(id) ? { kind: 'bundled', id } : null)
}

/** Sources whose records, if they are as the first ones, hold so many sampled tokens where drift is looked for. */
function sourcesWithText(views: readonly PreparedView[], least: number): Set<number> {
  const sums = new Map<number, { first: number; others: number; records: number }>()
  for (const view of views) {
    const { source, part } = view.trajectory.place
    const sum = sums.get(source) ?? { first: 0, others: 0, records: 0 }
    if (part === 0) sum.records++
    sum[part === 0 ? 'first' : 'others'] += driftTokens(view)
    sums.set(source, sum)
  }
  const enough = [...sums].filter(([, { first, others, records }]) => {
    const tokens = (first / records) * DRIFT_RECORDS + (others / Math.min(records, DRIFT_GROUPS)) * DRIFT_GROUPS
    return tokens > 0 && tokens >= least
  })
  return new Set(enough.map(([source]) => source))
}

function namedTokenizer(given: string, added: readonly TokenizerReference[]): TokenizerReference {
  const reference =
    added.find(({ id }) => id === given) ?? (isBundled(given) ? { kind: 'bundled' as const, id: given } : null)
  if (reference !== null) return reference
  throw new Error(
    `There is no tokenizer called ${given}. Name ${BUNDLED_TOKENIZERS.join(', ')}, or give a folder with a tokenizer.json.`,
  )
}

export function givenTokenizer(given: TokenizerReference | null): GivenTokenizer | null {
  return given === null ? null : { id: given.id, origin: given.kind === 'files' ? given.origin : 'given' }
}

function viewsOf(
  sources: readonly OpenSource[],
  tokenizer: Tokenizer | null,
  settings: AuditSettings,
  mayMarkTargets: boolean,
): PreparedView[] {
  return sources.flatMap(({ sample, format }) =>
    sample.flatMap(
      (trajectory) =>
        prepareView(trajectory, {
          tokenizer,
          settings,
          unsampledLogprob: format.unsampledLogprob,
          maskImplied: format.maskImplied,
          mayMarkTargets,
        }) ?? [],
    ),
  )
}

/** Whether thoughts are trained, in turns of which something is. */
function countThoughts(
  assistant: readonly Turn[],
  mask: Uint8Array,
): Pick<ShapeCounts, 'earlierThoughts' | 'earlierThoughtsMasked' | 'lastThoughts' | 'lastThoughtsMasked'> {
  let earlierThoughts = 0
  let earlierThoughtsMasked = 0
  let lastThoughts = 0
  let lastThoughtsMasked = 0
  for (const turn of assistant) {
    if (!mask.subarray(turn.contentStart, turn.contentEnd).includes(1)) continue
    for (const { part, start, end } of turn.spans) {
      if (part !== 'think') continue
      const masked = mask.subarray(start, end).includes(1) ? 0 : 1
      if (turn === assistant.at(-1)) {
        lastThoughts++
        lastThoughtsMasked += masked
      } else {
        earlierThoughts++
        earlierThoughtsMasked += masked
      }
    }
  }
  return { earlierThoughts, earlierThoughtsMasked, lastThoughts, lastThoughtsMasked }
}

function hasBlock({ segmentation }: PreparedView): boolean {
  const turns = segmentation?.turns ?? []
  return turns.some(({ kind, headerEnd, contentStart }) => kind === 'assistant' && contentStart > headerEnd)
}

function countTags(
  views: readonly PreparedView[],
): Pick<ShapeCounts, 'tagsLeftOut' | 'tagsTrained' | 'tagsOfBoth' | 'ownTags'> {
  const opening = ownEnvironments(views)
  const tags = views.map((view) => {
    const found = openTags(view)
    return opening.has(environmentOf(view)) && isUnscored(view) ? { ...found, own: true } : found
  })
  // A mask that lies off as a whole says nothing of tags.
  const others = tags.filter(
    ({ leftOut, trained, own }, row) =>
      !own && (leftOut !== null || trained) && !hidesEdges(views[row] as PreparedView),
  )
  return {
    tagsLeftOut: others.filter(({ leftOut }) => leftOut !== null).length,
    tagsTrained: others.filter(({ leftOut, trained }) => leftOut === null && trained).length,
    tagsOfBoth: others.filter(({ leftOut, trained }) => leftOut !== null && trained).length,
    ownTags: tags.filter(({ own }) => own).length,
  }
}

/**
 * Environments by name whose rows all train the tags that their turns begin with, and say nothing of who wrote them: that prompts of another environment
 * end with the tag says nothing of theirs.
 */
function ownEnvironments(views: readonly PreparedView[]): Set<string> {
  const [training, leaving] = [new Map<string, number>(), new Set<string>()]
  for (const view of views) {
    const environment = environmentOf(view)
    if (environment === '' || view.mask === null || hidesEdges(view)) continue
    const { leftOut, trained } = openTags(view)
    if (leftOut !== null) leaving.add(environment)
    else if (trained && isUnscored(view)) training.set(environment, (training.get(environment) ?? 0) + 1)
  }
  return new Set([...training.keys()].filter((each) => (training.get(each) as number) > 1 && !leaving.has(each)))
}

function environmentOf({ trajectory }: PreparedView): string {
  return environmentFact(trajectory)?.environment ?? ''
}

/** A format that writes 0.0 on what nobody sampled says by it that a tag is no word of the model. */
function isUnscored({ provenance }: PreparedView): boolean {
  return provenance === null
}

/** What the masks look like, of rows whose turns are known. */
function countShapes(views: readonly PreparedView[]): ShapeCounts {
  let multiTurn = 0
  let lastOnly = 0
  let closedTurns = 0
  let newlineOnly = 0
  const [withBlocks, ownBlocks] = [
    views.filter(hasBlock).length,
    views.filter(({ writesBlocks }) => writesBlocks).length,
  ]
  const thoughts = { earlierThoughts: 0, earlierThoughtsMasked: 0, lastThoughts: 0, lastThoughtsMasked: 0 }
  for (const { segmentation, mask, trajectory, expectedRl } of views) {
    if (segmentation === null || mask === null) continue
    const assistant = segmentation.turns.filter(({ kind }) => kind === 'assistant')
    const counts = countThoughts(assistant, mask)
    for (const name of Object.keys(thoughts) as (keyof typeof thoughts)[]) thoughts[name] += counts[name]
    const trained = assistant.map(({ contentStart, contentEnd }) => mask.subarray(contentStart, contentEnd).includes(1))
    // An example in the prompt is trained by no policy.
    const own = trained.filter((isTrained, index) => isTrained || mayBeSampled(assistant[index] as Turn, expectedRl))
    // A later call trains its own turn alone, and says nothing of how a whole rollout is trained.
    if (own.length > 1 && own.includes(true) && !isLaterCall(trajectory)) {
      multiTurn++
      if (own.lastIndexOf(false) === own.length - 2 && !own.slice(0, -1).includes(true)) lastOnly++
    }
    for (const [index, turn] of assistant.entries()) {
      if (turn.endToken < 0 || turn.end === turn.separatorStart || !trained[index]) continue
      closedTurns++
      const headerTrained = turn.header === 'present' && mask[turn.start] === 1
      // A mask that lies one token late trains the newline too, but not the first word.
      if (mask[turn.separatorStart] === 1 && !headerTrained && mask[turn.contentStart] === 1) newlineOnly++
    }
  }
  return { multiTurn, lastOnly, closedTurns, newlineOnly, ...thoughts, withBlocks, ownBlocks, ...countTags(views) }
}
