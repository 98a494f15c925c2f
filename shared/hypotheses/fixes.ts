import type { Report } from '../model/report.ts'

/** The usual fix of a check, by its code and the kinds of its faults that are found. */
export type FixOf = (code: string, kinds: readonly string[]) => string | null

/** What the faults of a check are that no defect explains, where it tells of several kinds: the commonest first. */
export function kindsOf({ findings }: Pick<Report, 'findings'>, code: string): string[] {
  const counts = new Map<string, number>()
  for (const { code: of, defect, intended, evidence } of findings) {
    if (of !== code || defect !== undefined || intended === true || !Array.isArray(evidence.kinds)) continue
    for (const kind of evidence.kinds) counts.set(String(kind), (counts.get(String(kind)) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([kind]) => kind)
}

/** How faults of these kinds are mended, in sentences; the usual fix of the check where it tells of one kind alone. */
export function fixOfKinds(
  { fix, fixes }: { readonly fix: string; readonly fixes: Readonly<Record<string, string>> },
  kinds: readonly string[],
): string {
  const found = kinds.flatMap((kind) => (Object.hasOwn(fixes, kind) ? (fixes[kind] ?? []) : []))
  return found.length === 0 ? fix : found.join(' ')
}
