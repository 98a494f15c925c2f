import { pinEvidence } from '../../shared/notebook/edit.ts'
import {
  LENGTH_CHARTS,
  lengthsPiece,
  logPieces,
  lossPieces,
  spreadPiece,
} from '../../shared/notebook/evidence/charts.ts'
import {
  checkPieces,
  comparisonPiece,
  evidenceOf,
  findingPieces,
  groupPiece,
  limitsPiece,
  measurePieces,
  originOf,
  type Piece,
  settingsOf,
  spanPiece,
} from '../../shared/notebook/evidence/pieces.ts'
import { type Recheck, recheck } from '../../shared/notebook/evidence/recheck.ts'
import { lossPiece, policyPiece, repairPiece } from '../../shared/notebook/evidence/what-ifs.ts'
import type { Evidence } from '../../shared/notebook/model.ts'
import type { PromptCut } from '../../shared/session/lab/limits.ts'
import { ask } from '../engine/engine.ts'
import { formatAddress, HOME } from '../state/address.ts'
import { useFiles } from '../state/files.ts'
import { usePlaces } from '../state/place.ts'
import { useSecond } from '../state/second.ts'
import { useSelection } from '../state/selection.ts'
import { useView, type View } from '../state/view.ts'
import { type LabPlace, labPlace, parseLabPlace } from '../views/lab/lab-place.ts'
import { turnOf } from '../views/rollout/edges.ts'
import { takeJudgedMeanwhile } from './judging.ts'
import { list } from './list.ts'
import { changeNotebook } from './notebook.ts'

/** Pieces under one heading of the chooser, what is nearest to the eye first. */
export interface PieceGroup {
  readonly title: string
  readonly pieces: readonly Piece[]
}

const VERDICT_GROUPS = [
  ['supported', 'Supported'],
  ['inconclusive', 'Inconclusive'],
  ['contradicted', 'Contradicted'],
] as const

/** Everything on screen that can be pinned. Empty while no dump is open. */
export async function piecesOnScreen(): Promise<readonly PieceGroup[]> {
  const { report } = useFiles.getState()
  if (report === null) return []
  const groups = [
    ...(await piecesOfView(useView.getState().view)),
    ...VERDICT_GROUPS.map(([verdict, title]) => ({
      title,
      pieces: measurePieces({ hypotheses: report.hypotheses.filter((result) => result.verdict === verdict) }),
    })),
    { title: 'Checks that fail', pieces: checkPieces(report).filter(isFailing) },
    { title: 'Checks that passed', pieces: checkPieces(report).filter((piece) => !isFailing(piece)) },
    { title: 'Charts', pieces: await chartPieces() },
  ]
  return groups.filter(({ pieces }) => pieces.length > 0)
}

async function piecesOfView(view: View): Promise<PieceGroup[]> {
  if (view === 'rollout') return rolloutPieces()
  if (view === 'groups') {
    const { shownGroup } = await import('../views/groups/shown-group.ts')
    const group = shownGroup.get()
    return group === null ? [] : [{ title: 'This group', pieces: [groupPiece(group.row)] }]
  }
  if (view === 'lab') {
    const { panel } = labPlace()
    return [{ title: 'What is tried here', pieces: [await triedIn(panel)] }]
  }
  if (view === 'compare') return [{ title: 'This run beside the other', pieces: await comparisonPieces() }]
  return []
}

async function rolloutPieces(): Promise<PieceGroup[]> {
  const { rollout: selected, second, token, range } = useSelection.getState()
  // Evidence is looked up again in the open run.
  if (second !== null) return []
  const rollout = selected ?? list.get()[0]
  if (rollout === undefined) return []
  const detail = await ask('trajectory', { index: rollout })
  const turn = token === null ? undefined : detail.segmentation?.turns[turnOf(detail, token)]
  const tokens =
    range ?? (turn === undefined ? ([0, detail.states.length] as const) : ([turn.start, turn.end] as const))
  const findings = findingPieces(detail, verdictOf)
  const isHere = ({ at }: Piece) =>
    at?.tokens != null && token !== null && at.tokens[0] <= token && token < at.tokens[1]
  const span = detail.states.length === 0 ? [] : [spanPiece(detail, tokens)]
  return [
    { title: 'Found at this token', pieces: findings.filter(isHere) },
    { title: range === null && turn !== undefined ? 'This turn' : 'These tokens', pieces: span },
    { title: 'Found in this rollout', pieces: findings.filter((piece) => !isHere(piece)) },
  ]
}

async function comparisonPieces(): Promise<Piece[]> {
  if (useSecond.getState().run === null) return []
  const { measures, there, together } = await ask('comparison', {})
  const decided = (['supported', 'contradicted'] as const).flatMap((verdict) =>
    together.filter((result) => result.verdict === verdict),
  )
  return measures.map((measure) => comparisonPiece(measure, there.names, decided[0]?.id ?? 'H08'))
}

/** Every chart of the dump that has something in it. */
async function chartPieces(): Promise<Piece[]> {
  const { report } = useFiles.getState()
  if (report === null) return []
  const lengths = await Promise.all(
    LENGTH_CHARTS.map(async (of) => lengthsPiece(of, await ask('lengths', { of })) ?? []),
  )
  const { stds, kinds } = await ask('groupSummary', {})
  return [
    ...lossPieces(report),
    ...lengths.flat(),
    ...[spreadPiece(stds, kinds.dead) ?? []].flat(),
    ...logPieces(report.logs ?? []),
  ]
}

/** What is tried in a panel of the lab, with the numbers that come of it. */
export async function triedIn(panel: LabPlace['panel']): Promise<Piece> {
  if (panel === 'policy') return triedPolicy(labPlace())
  if (panel === 'limits') return triedLimits(labPlace())
  return panel === 'repair' ? repairPiece(await ask('tryRepair', {})) : triedLoss(labPlace().loss)
}

async function triedPolicy({ policy, intend }: Pick<LabPlace, 'policy' | 'intend'>): Promise<Piece> {
  const tried = policy ?? useFiles.getState().report?.policy.id ?? 'rl'
  const meant = intend ?? useFiles.getState().options.intend ?? []
  const key = { policy: tried, ...(meant.length === 0 ? {} : { intended: meant.join('.') }) }
  const both = await ask('tryPolicy', { policy: tried, intend: meant })
  void takeJudgedMeanwhile()
  return policyPiece(key, both)
}

async function triedLoss(loss: LabPlace['loss']): Promise<Piece> {
  const { scaling, eps, lossType, localRows } = loss
  const key = {
    scaling,
    epsilon: String(eps),
    loss: lossType,
    ...(localRows === null ? {} : { rows: String(localRows) }),
  }
  return lossPiece(key, await ask('tryLoss', loss))
}

type Tried = Pick<LabPlace, 'limits' | 'promptCut' | 'completionPer' | 'curve'>

async function triedLimits({ limits, promptCut, completionPer, curve }: Tried): Promise<Piece> {
  const { cost } = await ask('tryLimits', { limits, promptCut, completionPer, curve })
  const said = Object.entries(limits).map(([name, value]) => [name, value === null ? '' : String(value)])
  const per = limits.max_completion_length === null ? {} : { 'completion limit per': completionPer }
  return limitsPiece({ ...Object.fromEntries(said), ...per, 'prompt cut': promptCut }, cost)
}

function isFailing({ numbers }: Piece): boolean {
  return numbers.some(({ name, value }) => name === 'status' && value === 'fail')
}

function verdictOf(code: string): string | null {
  return useFiles.getState().report?.checks.find((check) => check.code === code)?.hypotheses[0] ?? null
}

/** Hangs a piece on a hypothesis, with the report it came from and the way back to it. */
export function pin(piece: Piece, hypothesis: string, note: string): void {
  const { report, dumpHash } = useFiles.getState()
  if (report === null || dumpHash === null) return
  const from = originOf(report, dumpHash)
  changeNotebook(`Evidence of ${hypothesis}`, (notebook, at) =>
    pinEvidence(notebook, hypothesis, evidenceOf(piece, from, addressOf(piece, dumpHash), at, note), { at }),
  )
}

const VIEW_OF: Readonly<Partial<Record<Piece['kind'], View>>> = {
  group: 'groups',
  'what-if': 'lab',
  comparison: 'compare',
}

/** A chart that does not stand in Verdicts. */
const CHART_VIEWS: Readonly<Record<string, View>> = { 'group-std': 'groups' }

function addressOf({ kind, at, key }: Piece, dump: string): string {
  if (at !== null) {
    const { rollout, tokens } = at
    return formatAddress({ ...HOME, dump, view: 'rollout', rollout, tokens, finding: key.finding ?? null })
  }
  const view = VIEW_OF[kind] ?? CHART_VIEWS[key.chart ?? ''] ?? 'verdicts'
  return formatAddress({ ...HOME, dump, view, place: usePlaces.getState()[view] ?? HOME.place })
}

/** What became of evidence in the run that is open; null where it is of another run, or what it needs is not open. */
export async function recheckHere(evidence: Evidence): Promise<Recheck | null> {
  const { report, dumpHash, phase } = useFiles.getState()
  if (report === null || phase !== 'open' || evidence.from.dump !== dumpHash) return null
  const pieces = await piecesLike(evidence)
  if (pieces === null) return null
  return recheck(evidence, pieces, { version: report.tool.version, settings: settingsOf(report) })
}

/** Made anew, those that the evidence may be among; null where that cannot be done now. */
async function piecesLike({ kind, key }: Evidence): Promise<Piece[] | null> {
  const { report, rollouts } = useFiles.getState()
  if (report === null) return null
  if (kind === 'measure') return measurePieces(report)
  if (kind === 'finding' && key.check !== undefined) return checkPieces(report)
  if (kind === 'comparison') return useSecond.getState().run === null ? null : comparisonPieces()
  if (kind === 'group') {
    const position = wholeNumber(key.position)
    return position === null ? [] : [groupPiece((await ask('group', { position })).row)]
  }
  if (kind === 'chart') return chartPieces()
  if (kind === 'what-if') {
    if (key.panel === 'repair') return [await triedIn('repair')]
    if (key.panel === 'policy') {
      return [await triedPolicy(parseLabPlace({ policy: key.policy ?? '', intend: key.intended ?? '' }))]
    }
    return [key.panel === 'loss' ? await triedLoss(lossOf(key)) : await triedLimits(limitsOf(key))]
  }
  const index = wholeNumber(key.rollout)
  if (index === null) return []
  if (index >= rollouts) return []
  const detail = await ask('trajectory', { index })
  if (kind !== 'span') return findingPieces(detail, verdictOf)
  return [spanPiece(detail, [wholeNumber(key.start) ?? 0, wholeNumber(key.end) ?? 0])]
}

/** Evidence may come from a file that anyone wrote. */
function wholeNumber(text: string | undefined): number | null {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : null
}

function lossOf(key: Evidence['key']): LabPlace['loss'] {
  return parseLabPlace({
    scaling: key.scaling ?? '',
    eps: key.epsilon ?? '',
    loss: key.loss ?? '',
    rows: key.rows ?? '',
  }).loss
}

function limitsOf(key: Evidence['key']): Tried {
  const cuts: readonly PromptCut[] = ['left', 'right', 'middle', 'drop']
  return {
    limits: {
      max_prompt_length: wholeNumber(key.max_prompt_length),
      max_completion_length: wholeNumber(key.max_completion_length),
      max_seq_len: wholeNumber(key.max_seq_len),
      max_tool_response_length: wholeNumber(key.max_tool_response_length),
    },
    promptCut: cuts.find((cut) => cut === key['prompt cut']) ?? 'left',
    completionPer: key['completion limit per'] === 'turn' ? 'turn' : 'completion',
    curve: 'max_seq_len',
  }
}
