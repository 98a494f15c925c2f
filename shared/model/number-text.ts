/** How numbers are written for people, in verdicts and in every report. */

/** Between two digits, a multiple of three before the end. */
const THOUSANDS = /\B(?=(?:\d{3})+$)/g

/** Made when it is asked for: that takes 12 ms of every start, as long as loading a hundred checks. */
let whole: Intl.NumberFormat | null = null

/** `910,233` */
export function count(value: number): string {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value).replace(THOUSANDS, ',')
  whole ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
  return whole.format(value)
}

/** `1 rollout`, `2,048 rollouts` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** The verb of so many: `1 rollout is`, `2 rollouts are`. */
export function isOrAre(value: number): 'is' | 'are' {
  return value === 1 ? 'is' : 'are'
}

/** A number below 0 with the sign that stands for it in prose, which is as wide as a digit; a hyphen is short, and may end a line. */
export function minus(text: string): string {
  return text.replace('-', '−')
}

const MOST_LISTED = 3

/** `4, 6 or 8`, `9 values from 100 to 108`, `80 values, the 32 most common from 200 to 231`: of values in order, with how many more there are. */
export function valuesText(values: readonly string[], leftOut = 0): string {
  const [least, most] = [values[0], values.at(-1)]
  if (leftOut > 0) {
    return `${count(values.length + leftOut)} values, the ${count(values.length)} most common from ${least} to ${most}`
  }
  if (values.length > MOST_LISTED) return `${count(values.length)} values from ${least} to ${most}`
  return values.length === 1 ? String(least) : `${values.slice(0, -1).join(', ')} or ${most}`
}

/** `4.7 %`; small but not zero is never shown as `0 %`, nearly all never as `100 %`. */
export function percent(share: number | null): string {
  if (share === null) return 'unknown'
  if (share > 0 && share < 0.001) return 'under 0.1 %'
  if (share < 1 && share > 0.999) return 'over 99.9 %'
  const value = share * 100
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '')} %`
}

/** A measured number in at most four significant digits, in the unit that its name says; text as it is. */
export function measured(name: string, value: number | string | null): string {
  if (value === null) return 'unknown'
  if (typeof value === 'string') return value
  const unit = unitOf(name)
  if (unit === 'share' && value >= 0) return percent(value)
  const plain = minus(Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(4))))
  return unit === 'times' ? `${plain}×` : plain
}

/** In what a measure of this name counts, its threshold too: a share of 1, how many times as much, or plain numbers. */
export function unitOf(name: string): 'share' | 'times' | 'plain' {
  if (/\bas (?:frequent|many|much)\b/.test(name)) return 'times'
  return /\b(?:shares?|rate)\b/.test(name) ? 'share' : 'plain'
}

/** Tokens from `start` to below `end` as people count them: `310`, `310–314` with both ends in it. */
export function tokenRange(start: number, end: number): string {
  return end - start <= 1 ? count(start) : `${count(start)}–${count(end - 1)}`
}

/** The same as a phrase: `token 310`, `tokens 310–314`. */
export function tokensText(start: number, end: number): string {
  return `${end - start <= 1 ? 'token' : 'tokens'} ${tokenRange(start, end)}`
}
