import { addTally, createTally } from '../../checks/reporting/tally.ts'
import type { SecondRun } from '../../hypotheses/hypothesis.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { Report } from '../../model/report.ts'
import { addTotals, emptyTotals, type RolloutSums } from '../audit/collected.ts'
import { type Conclusion, conclude, type Gathered } from '../concluding/conclude.ts'
import { decideKin, type Kin, type KinEvidence, kinName } from '../opening/kin.ts'
import { otherFamily } from '../opening/model-vocabulary.ts'
import { ColumnError } from './columns.ts'
import { logsOf, refuseOtherDescriptions } from './descriptions.ts'
import { refuseTornJoins } from './joins.ts'
import { differentOption } from './options.ts'
import { damage, MergeError, type Part } from './part.ts'
import { type SplitGroup, splitGroups } from './split.ts'
import { type GivenFiles, withState } from './state.ts'
import { addKins } from './survey.ts'

/** What reports of parts of a run say together. */
export interface Merged {
  /** The same as that of reading all of their files at once, in the order of the parts. */
  readonly report: Report
  /** Groups that stay incomplete and have rollouts in several parts. */
  readonly split: readonly SplitGroup[]
  readonly run: SecondRun
}

/**
 * Judges parts of a run together. Throws `MergeError` where they do not go together: other options or tokenizers, a file in two of
 * them, or what was decided of a part for itself is not what all of them together say.
 *
 * @param parts read with the number of sources before each
 * @param against the second run, as that of `mergeParts` over its reports
 */
export function mergeParts(parts: readonly Part[], against: SecondRun | null = null): Merged {
  const first = parts[0]
  if (first === undefined) throw new MergeError('refused', 'There is no report to merge. Name at least one.')
  for (const part of parts) refuseWhatIsNotHeld(part, against !== null)
  for (const part of parts.slice(1)) refuseOthers(first, part)
  refuseTwice(parts)
  refuseTornJoins(parts)
  refuseOtherDescriptions(parts)
  const { options, maxFindings, given } = first.gathered
  const gathered: Gathered = {
    sources: parts.flatMap(({ sources }) => sources),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
    logs: logsOf(parts),
    kins: decidedTogether(parts, options, given),
    options,
    collected: addUp(parts),
    maxFindings,
    against,
  }
  const conclusion = concludeParts(gathered, parts)
  return {
    report: withState(gathered, conclusion, given),
    split: splitGroups(parts, conclusion.groups, options),
    run: conclusion.run,
  }
}

function refuseWhatIsNotHeld({ name, gathered }: Part, hasSecondRun: boolean): void {
  if (gathered.dataset) {
    throw new MergeError(
      'refused',
      `${name} was made with --dataset, and a report does not hold that dataset. Inspect its files without --dataset; C11 is checked where the files are read at once.`,
    )
  }
  if (gathered.against && !hasSecondRun) {
    throw new MergeError(
      'refused',
      `${name} was made with --against, and does not hold that second run. Give the reports of the second run to merge --against, or inspect its files without --against.`,
    )
  }
}

/** Throws `MergeError` unless a part was made under the options and with the tokenizer of another. */
export function refuseOthers(a: Part, b: Part): void {
  const differ = (what: string, here: string, there: string) =>
    new MergeError(
      'refused',
      `${a.name} and ${b.name} were not made alike: ${what} is ${here} in ${a.name} and ${there} in ${b.name}. Inspect the files of one of them again, with what holds for the other.`,
    )
  const option = differentOption(a.gathered.options, b.gathered.options)
  if (option !== null) throw differ(option.option, ...option.values)
  const [here, there] = [a.gathered.given, b.gathered.given]
  if (here?.id !== there?.id || here?.origin !== there?.origin) {
    throw differ('--tokenizer', here?.id ?? 'not given', there?.id ?? 'not given')
  }
  if (here?.files !== there?.files) {
    throw differ(`the hash of the files of --tokenizer ${here?.id}`, String(here?.files), String(there?.files))
  }
  if (a.gathered.maxFindings !== b.gathered.maxFindings) {
    throw differ('--max-findings', String(a.gathered.maxFindings), String(b.gathered.maxFindings))
  }
}

/** What a report lists twice it was told to read twice; what two reports list counts double by mistake. */
function refuseTwice(parts: readonly Part[]): void {
  const seen = new Map<string, Part>()
  for (const part of parts) {
    for (const { name, sha256 } of part.sources) {
      if (sha256 === null) continue
      const key = `${sha256} ${name}`
      const other = seen.get(key)
      if (other !== undefined && other !== part) {
        throw new MergeError(
          'refused',
          `${other.name} and ${part.name} hold the same file: ${name}, SHA-256 ${sha256}. Its rollouts would count twice; leave one of the two reports out.`,
        )
      }
      seen.set(key, part)
    }
  }
}

/** Kins over all parts. Rollouts were looked at under what was decided of their part, so that must be what is decided now. */
function decidedTogether(parts: readonly Part[], options: AuditOptions, given: GivenFiles | null): Kin[] {
  const named = given === null ? null : { id: given.id, origin: given.origin }
  const kins = together(parts).map((evidence) => decideKin(evidence, options, named))
  const byName = new Map(kins.map((kin) => [kinName(kin.evidence.key), kin]))
  for (const { name, gathered } of parts) {
    for (const evidence of gathered.kins) {
      const alone = decideKin(evidence, options, named)
      const all = byName.get(kinName(evidence.key)) as Kin
      const [here, there] = [alone.tokenizer.id, all.tokenizer.id]
      const differences: readonly (readonly [string, string, string | null])[] = [
        [tokenizerText(alone), tokenizerText(all), `--tokenizer ${there ?? here}`],
        [modelText(alone, given), modelText(all, given), `--tokenizer ${there ?? 'ID'}`],
        [alignmentText(alone), alignmentText(all), `--mask-alignment ${all.aligned.alignment}`],
        [examplesText(alone), examplesText(all), null],
        ...(alone.evidence.shapes.withBlocks > 0 ? [[blocksText(alone), blocksText(all), null] as const] : []),
        [tagsText(alone, alone), tagsText(all, alone), null],
        ...(alone.evidence.shifts.unclear > 0 ? [[shiftText(alone), shiftText(all), null] as const] : []),
        ...(hasPaddedEnds(alone) ? [[padsText(alone), padsText(all), null] as const] : []),
      ]
      const found = differences.find(([own, others]) => own !== others)
      if (found === undefined) continue
      const [own, others, declare] = found
      const again = declare === null ? 'at once' : `again with ${declare}, and merge those reports`
      throw new MergeError(
        'refused',
        `${name} was read with ${own}; all reports together speak for ${others}. Inspect the files of all of them ${again}.`,
      )
    }
  }
  return kins
}

function together(parts: readonly Part[]): KinEvidence[] {
  try {
    return addKins(parts.map(({ gathered }) => gathered.kins))
  } catch (error) {
    if (!(error instanceof ColumnError)) throw error
    throw new MergeError('unreadable', damage('One of the reports', `aggregates.state.kins: ${error.message}`))
  }
}

function tokenizerText({ tokenizer }: Kin): string {
  if (tokenizer.id === null) return 'no tokenizer'
  return `tokenizer ${tokenizer.id}${tokenizer.lacks === undefined ? '' : ', which frames no turns in its ids'}`
}

/** The model whose vocabulary T17 holds ids against. */
function modelText({ evidence, tokenizer }: Kin, given: GivenFiles | null): string {
  const other = given === null ? otherFamily(evidence, tokenizer.id) : null
  return other === null ? 'no other model' : `the ids of ${other.model ?? other.family}`
}

function alignmentText({ aligned }: Kin): string {
  return `mask alignment ${aligned.alignment}${aligned.undecided ? ' (undecided)' : ''}`
}

/** Nothing declares it, so that a part cannot be read as all together are. */
function examplesText({ policy }: Kin): string {
  return policy.examples_in_prompt
    ? 'untrained assistant turns at the start of rollouts as examples in the prompt'
    : 'every untrained assistant turn as one that the mask leaves out'
}

/** The same: what some rollouts show holds for those beside them. */
function blocksText({ writesBlocks }: Kin): string {
  return writesBlocks
    ? 'blocks before the words of the model as its own'
    : 'blocks before the words of the model as the template’s, where their logprobs are all 0'
}

/** Only as far as the rows of a part are judged by it. */
function tagsText({ thinkTags }: Kin, { evidence: { shapes } }: Kin): string {
  if (thinkTags === 'template' && shapes.tagsTrained > 0)
    return 'think tags before the words of the model as the template’s'
  if (thinkTags === 'model' && shapes.tagsOfBoth > 0) return 'think tags before the words of the model as its own'
  return 'think tags before the words of the model as each rollout shows them'
}

function shiftText({ shift }: Kin): string {
  if (shift === 0) return 'masks that each show by themselves how they lie'
  return `masks that lie one token ${shift > 0 ? 'late' : 'early'} wherever they do not show how they lie`
}

function hasPaddedEnds({ evidence: { paddedEnds } }: Kin): boolean {
  return paddedEnds.trained + paddedEnds.untrained > 0
}

function padsText({ padsBehindCuts }: Kin): string {
  return padsBehindCuts
    ? 'untrained end tokens before padding of the same id as padding'
    : 'untrained end tokens before padding of the same id as ends of turns'
}

function addUp(parts: readonly Part[]): RolloutSums {
  const totals = emptyTotals()
  const tallies: Record<string, ReturnType<typeof createTally>> = {}
  const severities: Record<string, { error: number; warning: number; info: number }> = {}
  for (const { gathered } of parts) {
    const { collected } = gathered
    addTotals(totals, collected.totals)
    for (const [code, tally] of Object.entries(collected.tallies)) addTally((tallies[code] ??= createTally()), tally)
    for (const [code, found] of Object.entries(collected.severities)) {
      const sum = (severities[code] ??= { error: 0, warning: 0, info: 0 })
      sum.error += found.error
      sum.warning += found.warning
      sum.info += found.info
    }
  }
  return {
    facts: parts.flatMap(({ gathered }) => gathered.collected.facts),
    codes: parts.flatMap(({ gathered }) => gathered.collected.codes),
    findings: parts.flatMap(({ gathered }) => gathered.collected.findings),
    findingsSeen: parts.reduce((sum, { gathered }) => sum + gathered.collected.findingsSeen, 0),
    tallies,
    totals,
    severities,
  }
}

/** Numbers that no audit writes may get through to a check that fails on them: then the part that does it alone is to blame. */
function concludeParts(gathered: Gathered, parts: readonly Part[]): Conclusion {
  try {
    return conclude(gathered)
  } catch (error) {
    for (const part of parts) {
      const why = failureAlone(gathered, part)
      if (why !== null) throw new MergeError('unreadable', damage(part.name, `its rollouts cannot be judged (${why})`))
    }
    throw error
  }
}

function failureAlone(gathered: Gathered, part: Part): string | null {
  try {
    conclude({ ...gathered, sources: part.sources, kins: [], collected: addUp([part]), against: null })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
