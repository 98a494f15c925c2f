import { count, real } from './numbers.ts'

/** More members of a list or of an object than this are counted. */
const MOST = 12
/** Below this depth nothing is told apart any more. */
const DEEPEST = 3

/** The numbers that a check states over the whole dump, a line for each: `mean reward by end`, `stop 0.69 (66 rollouts)`. */
export function contextWords(context: Readonly<Record<string, unknown>>): { name: string; value: string }[] {
  return Object.entries(context).flatMap(([name, value]) => {
    const text = wordsOf(value, 0)
    return text === '' ? [] : [{ name: spaced(name), value: text }]
  })
}

function wordsOf(value: unknown, depth: number): string {
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : real(value)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null || typeof value !== 'object' || depth > DEEPEST) return ''
  if (Array.isArray(value)) return listed(value.map((member) => wordsOf(member, depth + 1)))
  const members = value as Readonly<Record<string, unknown>>
  const known = meanOf(members) ?? limitOf(members)
  if (known !== null) return known
  return listed(
    Object.entries(members).map(([name, member]) => {
      const text = wordsOf(member, depth + 1)
      return text === '' ? '' : `${spaced(name)} ${text}`
    }),
  )
}

/** `stop 0.69 (66 rollouts)`, of a mean with the number of rollouts behind it and perhaps what they have in common. */
function meanOf({ end, mean, rollouts }: Readonly<Record<string, unknown>>): string | null {
  if (typeof mean !== 'number' || typeof rollouts !== 'number') return null
  const of = typeof end === 'string' ? `${end} ` : ''
  return `${of}${real(mean)} (${count(rollouts)} ${rollouts === 1 ? 'rollout' : 'rollouts'})`
}

/** `768 (metadata)`, of a limit with where it is known from. */
function limitOf({ value, origin }: Readonly<Record<string, unknown>>): string | null {
  return typeof value === 'number' && typeof origin === 'string' ? `${count(value)} (${origin})` : null
}

function listed(texts: readonly string[]): string {
  const said = texts.filter((text) => text !== '')
  const shown = said.slice(0, MOST).join(', ')
  return said.length > MOST ? `${shown} and ${count(said.length - MOST)} more` : shown
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ')
}
