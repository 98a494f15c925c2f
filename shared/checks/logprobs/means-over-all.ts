import type { Trajectory } from '../../model/trajectory.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { digits } from './text.ts'

/** Names under which metadata holds the mean of a stream over a row; `info.kl` is that of OpenRLHF, in an object of its own. */
const STORED = {
  kl: ['kl_mean', 'mean_kl', 'info.kl'],
  entropy: ['entropy_mean', 'mean_entropy'],
} as const

interface Means {
  readonly stream: keyof typeof STORED
  readonly field: string
  readonly stored: number
  readonly trained: number
  readonly all: number
  /** Of the tokens behind the prompt. */
  readonly response: number
}

/** L11. A mean of KL or entropy is taken over tokens that the model did not write. */
export const L11: Check = {
  code: 'L11',
  name: 'mean-over-masked-tokens',
  title: 'A KL or entropy mean includes masked tokens',
  hypotheses: ['H03'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask'],
  looksAt:
    'rollouts that store a mean of KL or entropy (meta.kl_mean, meta.entropy_mean, meta.info.kl) beside the values by token',
  why: 'Tool replies and padding dilute or swamp the number: a penalty or a stopping rule built on it acts on text that is not the policy’s.',
  fix: 'Multiply by the loss mask before summing, and divide by the sum of the mask.',
  cite: 'slime#1370, verl#2368',
  trajectory(view, { thresholds }, report) {
    const { 'same-mean': same, 'other-mean': other } = thresholds
    const wrong: (Means & { readonly over: string; readonly mean: number })[] = []
    let looked = false
    for (const means of storedMeans(view)) {
      looked = true
      const { stored, trained, all, response } = means
      if (near(stored, trained, other)) continue
      if (near(stored, all, same)) wrong.push({ ...means, over: 'all tokens', mean: all })
      else if (near(stored, response, same))
        wrong.push({ ...means, over: 'all tokens of the response', mean: response })
    }
    if (!looked) return
    report.place(wrong.length > 0)
    const [first] = wrong
    if (first === undefined) return
    report.fault({
      scope: 'trajectory',
      message: wrong
        .map(
          ({ field, stored, trained, over, mean }) =>
            `${field} is ${digits(stored)}, the mean over ${over} (${digits(mean)}) and not over the trained ones (${digits(trained)})`,
        )
        .join('; '),
      evidence: Object.fromEntries(
        wrong.map(({ field, stored, trained, all, response }) => [field, { stored, trained, all, response }]),
      ),
    })
  },
}

function near(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))
}

/** The mean that metadata holds, and the name that it has there; null where there is none. */
function storedMean({ meta }: Trajectory, stream: keyof typeof STORED): { field: string; stored: number } | null {
  for (const field of STORED[stream]) {
    const [outer, inner] = field.split('.') as [string, string?]
    const value = meta[outer]
    const stored = inner === undefined ? value : isRecord(value) ? value[inner] : null
    if (typeof stored === 'number') return { field, stored }
  }
  return null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function storedMeans(view: TrajectoryView): Means[] {
  const { trajectory, mask, facts } = view
  const start = (facts.promptLength ?? 0) + (trajectory.padding?.left ?? 0)
  const means: Means[] = []
  for (const stream of ['kl', 'entropy'] as const) {
    const values = trajectory[stream]
    const mean = storedMean(trajectory, stream)
    if (values === null || mean === null) continue
    let count = 0
    let sum = 0
    let responseCount = 0
    let responseSum = 0
    let trainedCount = 0
    let trainedSum = 0
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number
      if (!Number.isFinite(value)) continue
      count++
      sum += value
      if (i >= start) {
        responseCount++
        responseSum += value
      }
      if (mask?.[i] !== 1) continue
      trainedCount++
      trainedSum += value
    }
    if (trainedCount === 0) continue
    means.push({
      ...mean,
      stream,
      trained: trainedSum / trainedCount,
      all: sum / count,
      response: responseSum / responseCount,
    })
  }
  return means
}
