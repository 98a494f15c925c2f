import type { AuditSettings, CheckTally, DumpView, TrajectoryView } from '../../shared/checks/check.ts'
import { buildGroups } from '../../shared/checks/grouping/group-views.ts'
import { countAlignment, decideAlignment } from '../../shared/checks/oracles/alignment.ts'
import { countShifts, decideShift } from '../../shared/checks/oracles/shift-beside.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { DumpVerdict } from '../../shared/checks/reporting/dump-reporter.ts'
import { addTally, createTally, TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { datasetPrompt } from '../../shared/checks/truncation/dataset.ts'
import { createView } from '../../shared/checks/view.ts'
import { datasetRow } from '../../shared/formats/dataset.ts'
import type { AuditOptions, PolicyId } from '../../shared/model/policy.ts'
import type { Finding } from '../../shared/model/report.ts'
import type { Stream } from '../../shared/model/streams.ts'
import { resolveThresholds } from '../../shared/model/thresholds/registry.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { isPutTo } from '../../shared/session/audit/checks-of-row.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import type { FixtureDump } from '../fixtures/checks/fixture.ts'
import { resolveGroupSize, resolveLimits, runDumpCheck } from '../helpers/at-once.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

/** Settings as they are before anything was declared or found. */
export function settings(policy: PolicyId = 'rl', options: AuditOptions = {}): AuditSettings {
  const intended = { rl: [], sft: ['M11'], 'last-turn': ['M03'] }[policy]
  return {
    options,
    policy: {
      id: policy,
      origin: policy === 'rl' ? 'default' : 'given',
      evidence: [],
      intended,
      suggested: null,
      mask_alignment: 'token',
    },
    alignment: 'token',
    alignmentUndecided: false,
    limits: {},
    thresholds: resolveThresholds(options.thresholds),
  }
}

export interface CodeResult {
  readonly tally: CheckTally
  readonly findings: readonly Finding[]
  readonly abstained: DumpVerdict['abstained']
}

export interface Audit {
  readonly settings: AuditSettings
  readonly views: readonly TrajectoryView[]
  readonly byCode: ReadonlyMap<string, CodeResult>
  /** Codes that fail, sorted. */
  readonly failing: readonly string[]
}

function streamsOf(trajectory: Trajectory, tokenizer: Tokenizer): Set<Stream> {
  const present: [Stream, unknown][] = [
    ['ids', trajectory.ids],
    ['mask', trajectory.mask],
    ['sampled', trajectory.sampled],
    ['attention_mask', trajectory.attentionMask],
    ['position_ids', trajectory.positionIds],
    ['sequence_ids', trajectory.sequenceIds],
    ['messages', trajectory.messages],
    ['tools', trajectory.tools],
    ['documents', trajectory.documents],
    ['answer', trajectory.answer],
    ['tokenizer', tokenizer.frame],
    ['template', tokenizer.template],
    ['logprobs.sampler', trajectory.logprobs.sampler],
    ['logprobs.trainer', trajectory.logprobs.trainer],
    ['logprobs.reference', trajectory.logprobs.reference],
    ['versions', trajectory.versions],
    ['step', trajectory.step],
    ['advantages', trajectory.advantage ?? trajectory.advantages],
    ['rewards', trajectory.reward],
    ['reward_components', trajectory.rewards],
    ['group', trajectory.group],
    ['finish_reason', trajectory.finishReason],
    ['limits', trajectory.limits],
  ]
  return new Set(present.flatMap(([stream, value]) => (value === null ? [] : [stream])))
}

/** Every check over a dump, the way a session does it, without importers and threads. */
export function auditTrajectories(
  trajectories: readonly Trajectory[],
  tokenizer: Tokenizer,
  dump: Omit<FixtureDump, 'rows' | 'story' | 'family'> = {},
): Audit {
  const base = settings(dump.policy, dump.options)
  const unsampledLogprob = dump.format?.unsampledLogprob ?? null
  const viewsUnder = (chosen: AuditSettings, mayMarkTargets = false) =>
    trajectories.flatMap(
      (each) => createView(each, { tokenizer, settings: chosen, unsampledLogprob, mayMarkTargets }) ?? [],
    )
  const { alignment, undecided } = decideAlignment(
    countAlignment(viewsUnder(base, true), base.thresholds),
    dump.format?.maskAlignment ?? null,
    dump.options?.maskAlignment ?? 'auto',
    base.thresholds,
  )
  const aligned: AuditSettings = { ...base, alignment, alignmentUndecided: undecided }
  const shift = undecided ? 0 : decideShift(countShifts(viewsUnder(aligned), base.thresholds), base.thresholds)
  const decided: AuditSettings = shift === 0 ? aligned : { ...aligned, maskShift: shift }
  const views = viewsUnder(decided)
  const facts = views.map((view) => view.facts)
  const groupOptions = {
    groupSize: dump.options?.groupSize ?? null,
    groupsByOrder: dump.format?.groupsByOrder ?? false,
  }
  const limits = Object.assign({}, ...trajectories.map((each) => each.limits ?? {}))
  const dumpView: DumpView = {
    settings: decided,
    streams: new Set(views.flatMap((view) => [...streamsOf(view.trajectory, tokenizer)])),
    facts,
    groups: buildGroups(facts, groupOptions),
    groupSize: resolveGroupSize(facts, groupOptions),
    limits: resolveLimits(decided, limits, facts),
    dataset: datasetOf(dump, tokenizer),
  }
  const byCode = new Map<string, CodeResult>()
  for (const check of CHECKS) {
    const tally = createTally()
    const findings: Finding[] = []
    let looked = false
    for (const view of views) {
      const streams = streamsOf(view.trajectory, tokenizer)
      if (check.needs.every((stream) => streams.has(stream) || stream === 'group' || stream === 'limits')) looked = true
      if (check.trajectory === undefined || !isPutTo(check, streams, view.mask !== null)) continue
      const reporter = new TrajectoryReporter(check, view, decided)
      check.trajectory(view, decided, reporter)
      const one = reporter.finish()
      addTally(tally, one.tally)
      findings.push(...one.findings)
    }
    const verdict = looked && check.dump ? runDumpCheck(check, dumpView) : null
    if (verdict !== null) {
      addTally(tally, verdict.tally)
      findings.push(...verdict.findings)
    }
    // As a report has them: what `dump` says of a rollout beside what `trajectory` says of the others.
    const recordOf = ({ record }: Finding) => record ?? trajectories.length
    findings.sort((a, b) => recordOf(a) - recordOf(b))
    byCode.set(check.code, { tally, findings, abstained: verdict?.abstained ?? null })
  }
  const failing = [...byCode].filter(([, { findings }]) => findings.some(({ intended }) => !intended))
  return { settings: decided, views, byCode, failing: failing.map(([code]) => code) }
}

function datasetOf({ dataset }: Pick<FixtureDump, 'dataset'>, tokenizer: Tokenizer): DumpView['dataset'] {
  if (dataset === undefined) return null
  const prompts = dataset.flatMap((record) => datasetRow(record) ?? []).map((row) => datasetPrompt(row, tokenizer))
  return { names: ['dataset.jsonl'], complete: true, prompts, withoutPrompt: 0, problems: [] }
}

export async function auditDump(dump: FixtureDump): Promise<Audit> {
  const tokenizer = await testTokenizer(dump.family)
  const rows = dump.rows(tokenizer)
  const trajectories = rows.map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  return auditTrajectories(trajectories, tokenizer, dump)
}
