import type { WorkerLink } from '../host.ts'
import type { AuditRequest } from './plan.ts'

interface Kept {
  readonly link: WorkerLink
  hear: (message: unknown) => void
  complain: (message: string) => void
  /** Under way, and ever handed in. */
  jobs: number
  served: number
  broken: boolean
}

/**
 * Starts workers, and keeps at most `most` of those whose session ended in peace for the next one: a worker that has
 * run before has its code loaded and compiled, which for a dump of some megabytes is most of the work. One that has done more than
 * `worn` jobs is let go: its heap has grown by far more than a new one needs, and starting that is little beside such a dump.
 */
export function keepingWorkers(spawn: () => WorkerLink, most: number, worn = 32): () => WorkerLink {
  const idle: Kept[] = []
  const lend = (kept: Kept): WorkerLink => {
    kept.link.wake?.()
    let over = false
    return {
      post(message, transfer) {
        if ((message as AuditRequest).kind !== 'plan') {
          kept.jobs++
          kept.served++
        }
        kept.link.post(message, transfer)
      },
      onMessage(listener) {
        kept.hear = listener
      },
      onError(listener) {
        kept.complain = listener
      },
      terminate() {
        if (over) return
        over = true
        kept.hear = () => undefined
        kept.complain = () => undefined
        if (kept.broken || kept.jobs > 0 || kept.served > worn || idle.length >= most) return kept.link.terminate()
        kept.link.rest?.()
        idle.push(kept)
      },
    }
  }

  return () => {
    let kept = idle.pop()
    // One that broke while it rested told nobody.
    while (kept?.broken) {
      kept.link.terminate()
      kept = idle.pop()
    }
    return lend(kept ?? start(spawn))
  }
}

function start(spawn: () => WorkerLink): Kept {
  const link = spawn()
  const kept: Kept = { link, hear: () => undefined, complain: () => undefined, jobs: 0, served: 0, broken: false }
  link.onMessage((message) => {
    kept.jobs--
    kept.hear(message)
  })
  link.onError((message) => {
    kept.broken = true
    kept.complain(message)
  })
  return kept
}
