import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import { readParts } from '../../shared/session/merge/part.ts'
import { type Merged, mergeParts } from '../../shared/session/merge/run.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from './dumps.ts'

/** What `inspect --json` writes of these files. */
export async function reportOf(sources: readonly ByteSource[], options: AuditOptions = {}): Promise<string> {
  return written((await audited(sources, options)).mergeableReport())
}

export function written(report: Report): string {
  return JSON.stringify(report, null, 2)
}

export function merge(reports: readonly string[], against: readonly string[] = []): Merged {
  const parts = (texts: readonly string[], name: string) =>
    readParts(texts.map((text, index) => ({ name: `${name}-${index}.json`, text })))
  const second = against.length === 0 ? null : mergeParts(parts(against, 'second')).run
  return mergeParts(parts(reports, 'part'), second)
}

/** Consecutive pieces of a list, cut after each of these places; pieces may be empty. */
export function cutAt<Value>(values: readonly Value[], places: readonly number[]): Value[][] {
  const bounds = [0, ...places.map((place) => Math.min(place, values.length)).sort((a, b) => a - b), values.length]
  return bounds.slice(1).map((end, index) => values.slice(bounds[index], end))
}

/** Files of so many lines each, named in their order. */
export function filesOf(name: string, text: string, lines: number): ByteSource[] {
  const all = text.split('\n').filter((line) => line !== '')
  const files: ByteSource[] = []
  for (let at = 0; at < all.length; at += lines) {
    const number = String(files.length).padStart(3, '0')
    files.push(memorySource(`${all.slice(at, at + lines).join('\n')}\n`, 1 << 16, `${name}-${number}.jsonl`))
  }
  return files
}
