import type { LogReport } from '../../model/report.ts'
import type { UnreadableFile } from './open-source.ts'

/** A log by whose numbers something may be judged without rollouts; a description of the run alone has none. */
export function hasNumbers({ series, others }: Pick<LogReport, 'series' | 'others'>): boolean {
  return series.length > 0 || others.length > 0
}

/** Why nothing can be read of files that describe a run, where no rollouts are beside them. */
export function describedAlone(logs: readonly LogReport[]): UnreadableFile[] {
  return logs.map(({ name, title, bytes }) => ({
    name,
    bytes,
    code: 'no-rollouts',
    message: `${name} holds no rollouts (${title}). Give the files with its rollouts too.`,
  }))
}
