import { counted, percent } from '../shared/exports/phrases.ts'
import type { Progress } from '../shared/session/protocol.ts'
import type { CommandIo } from './io.ts'

export interface ProgressLine {
  show(progress: Progress): void
  clear(): void
}

/** One line on standard error that is written over and over, only on a terminal; it is gone before anything else is said. */
export function progressLine({ stderr }: CommandIo): ProgressLine {
  if (stderr.isTTY !== true) return { show() {}, clear() {} }
  let shown = false
  return {
    show({ bytesRead, bytesTotal, trajectories, skipped, done }) {
      if (done) return
      const share = bytesTotal > 0 ? percent(Math.min(1, bytesRead / bytesTotal)) : ''
      const bad = skipped > 0 ? `, ${counted(skipped, 'record')} skipped` : ''
      stderr.write(`\r\u001b[Kreading ${share}, ${counted(trajectories, 'rollout')}${bad}`)
      shown = true
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K')
      shown = false
    },
  }
}
