import { counted, percent } from '../shared/model/number-text.ts'
import type { Progress } from '../shared/session/protocol.ts'
import type { CommandIo } from './io.ts'

export interface ProgressLine {
  show(progress: Progress): void
  /** What is being done once everything has been read. */
  tell(what: string): void
  clear(): void
}

/** One line on standard error that is written over and over, only on a terminal that can; it is gone before anything else is said. */
export function progressLine({ stderr, env }: CommandIo): ProgressLine {
  if (stderr.isTTY !== true || env.TERM === 'dumb') return { show() {}, tell() {}, clear() {} }
  let shown = false
  const write = (what: string) => {
    stderr.write(`\r\u001b[K${what}`)
    shown = true
  }
  return {
    show({ bytesRead, bytesTotal, trajectories, skipped, done }) {
      if (done) return
      const share = bytesTotal > 0 ? percent(Math.min(1, bytesRead / bytesTotal)) : ''
      const bad = skipped > 0 ? `, ${counted(skipped, 'record')} skipped` : ''
      write(`reading ${share}, ${counted(trajectories, 'rollout')}${bad}`)
    },
    tell: write,
    clear() {
      if (shown) stderr.write('\r\u001b[K')
      shown = false
    },
  }
}
