import type { Check, TrajectoryView } from '../check.ts'
import { digits } from './text.ts'

/** Names under which metadata holds the mean of a stream over a row. */
const STORED = {
  kl: ['kl_mean', 'mean_kl'],
  entropy: ['entropy_mean', 'mean_entropy'],
} as const

interface Means {
  readonly stream: keyof typeof STORED
  readonly field: string
  readonly stored: number
  readonly trained: number
  readonly all: number
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
  looksAt: 'rollouts that store a mean of KL or entropy (meta.kl_mean, meta.entropy_mean) beside the values by token',
  why: 'Tool replies and padding dilute or swamp the number: a penalty or a stopping rule built on it acts on text that is not the policy’s.',
  fix: 'Multiply by the loss mask before summing, and divide by the sum of the mask.',
  cite: 'slime#1370, verl#2368',
  trajectory(view, { thresholds }, report) {
    const { 'same-mean': same, 'other-mean': other } = thresholds
    const wrong: Means[] = []
    let looked = false
    for (const means of storedMeans(view)) {
      looked = true
      const { stored, trained, all } = means
      if (near(stored, all, same) && !near(stored, trained, other)) wrong.push(means)
    }
    if (!looked) return
    report.place(wrong.length > 0)
    const [first] = wrong
    if (first === undefined) return
    report.fault({
      scope: 'trajectory',
      message: wrong
        .map(
          ({ field, stored, trained, all }) =>
            `${field} is ${digits(stored)}, the mean over all tokens (${digits(all)}) and not over the trained ones (${digits(trained)})`,
        )
        .join('; '),
      evidence: Object.fromEntries(wrong.map(({ field, stored, trained, all }) => [field, { stored, trained, all }])),
    })
  },
}

function near(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))
}

function storedMeans(view: TrajectoryView): Means[] {
  const { trajectory, mask } = view
  const means: Means[] = []
  for (const stream of ['kl', 'entropy'] as const) {
    const values = trajectory[stream]
    const field = STORED[stream].find((name) => typeof trajectory.meta[name] === 'number')
    if (values === null || field === undefined) continue
    let count = 0
    let sum = 0
    let trainedCount = 0
    let trainedSum = 0
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number
      if (!Number.isFinite(value)) continue
      count++
      sum += value
      if (mask?.[i] !== 1) continue
      trainedCount++
      trainedSum += value
    }
    if (trainedCount === 0) continue
    const stored = trajectory.meta[field] as number
    means.push({ stream, field, stored, trained: trainedSum / trainedCount, all: sum / count })
  }
  return means
}
