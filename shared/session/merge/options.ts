import type { AuditOptions } from '../../model/policy.ts'
import { LIMIT_NAMES } from '../../model/streams.ts'
import { THRESHOLDS, type ThresholdId } from '../../model/thresholds/registry.ts'

/** Options that change nothing of what is said of a rollout, and the tokenizer, which a report keeps with its files. */
type Apart = 'tokenizer' | 'limit' | 'sample' | 'seed' | 'maxUnpacked' | 'readAs' | 'failOn' | 'maxFindings'

/** What a person declared that changes findings. Reports that are merged must agree in it. */
export type DeclaredOptions = Omit<AuditOptions, Apart>

/** The same for options that mean the same: what is at its default or found out is not there, lists are sorted. */
export function declaredOptions(options: AuditOptions): DeclaredOptions {
  const { intend, checks, hypotheses, limits, thresholds, maskAlignment } = options
  const given: DeclaredOptions = {
    map: present(Object.entries(options.map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))),
    renderTexts: options.renderTexts === true ? true : undefined,
    policy: options.policy,
    intend: intend?.length ? sorted(intend) : undefined,
    maskAlignment: maskAlignment === 'auto' ? undefined : maskAlignment,
    limits: present(LIMIT_NAMES.map((name) => [name, limits?.[name] ?? null])),
    groupSize: options.groupSize,
    scaleRewards: options.scaleRewards,
    advantageEps: options.advantageEps,
    lossType: options.lossType,
    klBeta: options.klBeta,
    checks: checks && sorted(checks),
    hypotheses: hypotheses && sorted(hypotheses),
    thresholds: present(
      Object.entries(thresholds ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, value]) => [id, value === THRESHOLDS[id as ThresholdId].value ? null : value]),
    ),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}

function present<Value>(entries: readonly (readonly [string, Value | null])[]): Record<string, Value> | undefined {
  const given = entries.filter((entry): entry is readonly [string, Value] => entry[1] !== null)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** The first option in which two reports differ, as a person gives it, with both values; null where they agree. */
export function differentOption(
  a: DeclaredOptions,
  b: DeclaredOptions,
): { readonly option: string; readonly values: readonly [string, string] } | null {
  const [here, there] = [spelt(a), spelt(b)]
  for (const option of new Set([...here.keys(), ...there.keys()])) {
    const values = [here.get(option) ?? NOT_GIVEN, there.get(option) ?? NOT_GIVEN] as const
    if (values[0] !== values[1]) return { option, values }
  }
  return null
}

const NOT_GIVEN = 'not given'

/** Each option by the name that it has on the command line. */
function spelt(options: DeclaredOptions): Map<string, string> {
  const { limits = {}, thresholds = {}, hypotheses, map, ...others } = options
  const paths = map && Object.entries(map).map(([field, path]) => `${field}=${path}`)
  const all: Record<string, unknown> = { ...others, ...limits, hypothesis: hypotheses, map: paths?.join(' ') }
  const named = Object.entries(all).map(([name, value]) => [`--${dashed(name)}`, value] as const)
  const set = Object.entries(thresholds).map(([id, value]) => [`--threshold ${id}`, value] as const)
  return new Map(
    [...named, ...set].flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const])),
  )
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')
}
