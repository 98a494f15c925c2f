import type { LogReport, Report } from '../../model/report.ts'
import { trainedShare } from '../../model/trained-share.ts'
import type { Evidence } from '../model.ts'
import { number, type Piece, shown } from './pieces.ts'

/** A histogram as a screen draws it: bins of equal width. */
export interface PinnedHistogram {
  readonly from: number
  readonly width: number
  readonly counts: readonly number[]
}

export const LENGTH_CHARTS = ['sequence', 'prompt', 'assistant-turn', 'tool-reply'] as const
export type LengthChart = (typeof LENGTH_CHARTS)[number]

const LENGTH_WORDS: Readonly<Record<LengthChart, string>> = {
  sequence: 'whole rollouts',
  prompt: 'prompts',
  'assistant-turn': 'assistant turns',
  'tool-reply': 'tool replies',
}

/** How long rollouts or their parts are, bin by bin; null where there are none. */
export function lengthsPiece(of: LengthChart, histogram: PinnedHistogram): Piece | null {
  const bins = binsOf(histogram)
  const last = bins.at(-1)
  if (last === undefined) return null
  const all = bins.reduce((sum, { count }) => sum + count, 0)
  return {
    ...chart({ chart: 'lengths', of }, 'H04'),
    title: `Lengths of ${all} ${LENGTH_WORDS[of]}: ${bins[0]?.from} to below ${last.to} tokens`,
    numbers: bins.map(({ from, to, count }) => number(`${from} to below ${to} tokens`, count)),
  }
}

/** How far rewards differ inside groups. `dead` groups have no spread and no bin. */
export function spreadPiece(histogram: PinnedHistogram, dead: number): Piece | null {
  const bins = binsOf(histogram)
  if (bins.length === 0 && dead === 0) return null
  return {
    ...chart({ chart: 'group-std' }, 'H05'),
    title: `Std of rewards within groups: ${bins.reduce((sum, { count }) => sum + count, 0)} with contrast, ${dead} without`,
    numbers: [
      number('no contrast', dead, 'groups'),
      ...bins.map(({ from, to, count }) => number(`${shown(from)} to below ${shown(to)}`, count, 'groups')),
    ],
  }
}

/** Where the loss falls, by part of the conversation and by assistant turn; none where no mask tells. */
export function lossPieces({ totals }: Pick<Report, 'totals'>): Piece[] {
  const parts = Object.entries(totals.by_part).flatMap(([part, sums]) => shareOf(part, trainedShare(sums)))
  const turns = Object.entries(totals.by_turn).flatMap(([turn, sums]) => shareOf(`turn ${turn}`, trainedShare(sums)))
  return [
    ...(parts.length === 0
      ? []
      : [
          {
            ...chart({ chart: 'loss-by-part' }, 'H02'),
            title: 'Trained share by part of the conversation',
            numbers: parts,
          },
        ]),
    ...(turns.length === 0
      ? []
      : [{ ...chart({ chart: 'loss-by-turn' }, 'H07'), title: 'Trained share by assistant turn', numbers: turns }]),
  ]
}

/** What a log of the run says by step, one piece for each metric. */
export function logPieces(logs: readonly LogReport[]): Piece[] {
  return logs.flatMap((log) =>
    log.series.flatMap(({ name, metric, steps, values }) => {
      const known = values.filter((value): value is number => value !== null)
      if (known.length === 0) return []
      const first = known[0] as number
      const last = known.at(-1) as number
      return {
        ...chart({ chart: 'log', file: log.name, series: name }, LOG_VERDICTS[metric] ?? null),
        title: `${name.slice(0, 80)} over ${known.length} steps: ${shown(first)} to ${shown(last)}`,
        numbers: [
          number('first', first),
          number('last', last),
          number(
            'least',
            known.reduce((a, b) => Math.min(a, b)),
          ),
          number(
            'greatest',
            known.reduce((a, b) => Math.max(a, b)),
          ),
          number('steps', steps.length),
        ],
      }
    }),
  )
}

const LOG_VERDICTS: Readonly<Partial<Record<LogReport['series'][number]['metric'], string>>> = {
  reward: 'H06-library',
  'reward-std': 'H01',
  'flat-groups': 'H05',
  kl: 'H03',
  'grad-norm': 'H01',
  'clipped-ratio': 'H04',
  'completion-length': 'H04',
}

function chart(key: Piece['key'], verdict: string | null): Pick<Piece, 'kind' | 'key' | 'verdict' | 'at'> {
  return { kind: 'chart', key, verdict, at: null }
}

function shareOf(name: string, share: number | null): Evidence['numbers'] {
  return share === null ? [] : [number(name, share)]
}

/** Those that hold something. */
function binsOf({ from, width, counts }: PinnedHistogram): { from: number; to: number; count: number }[] {
  return counts.flatMap((count, bin) => {
    const start = Number((from + bin * width).toPrecision(12))
    return count === 0 ? [] : { from: start, to: Number((start + width).toPrecision(12)), count }
  })
}
