import { causeOrder } from '../../hypotheses/causes.ts'
import { pageReport } from '../concluding/page-report.ts'
import type { LabHost } from '../lab/handlers.ts'
import type { Session } from '../session.ts'
import type { EngineHandlers } from './handlers.ts'
import { type OpenRuns, OVERTAKEN } from './open-runs.ts'

const PARTLY_READ =
  'Reading of the run was stopped, and another policy would be tried on all of it. Open the files again, then try it.'

/** Takes a second run for the open one to be compared with, or takes it away. */
export function secondRunHandlers(runs: OpenRuns): EngineHandlers<'compare'> {
  return {
    async compare({ sources: inputs }, cancelled) {
      const first = runs.current()
      const own = runs.comparingAnew()
      if (inputs === null) {
        first.compareWith(null)
        runs.second = null
        return { report: pageReport(await first.settled()), second: null }
      }
      cancelled.addEventListener('abort', () => own.abort(cancelled.reason), { once: true })
      const sources = inputs.map((input) => runs.host.byteSource(input))
      if (runs.following?.isOn) {
        throw new Error('The run is still followed. End following, then compare it with another one.')
      }
      // One after the other: two passes at once would only share the workers.
      await first.done
      const other = await runs.read(sources, runs.settings, {
        onProgress: (progress) => runs.answer({ kind: 'progress', progress: { ...progress, second: true } }),
        signal: own.signal,
      })
      await other.done
      own.signal.throwIfAborted()
      if (other.facts.length === 0 && other.logs.length === 0) throw new Error(nothingToCompare(other))
      first.compareWith(other.secondRun())
      runs.second = other
      const ofOther = other.report()
      return {
        report: pageReport(await first.settled()),
        second: {
          dumpHash: other.dumpHash,
          rollouts: other.facts.length,
          sources: ofOther.sources,
          tokenizer: ofOther.tokenizer.id,
          unreadable: other.unreadable,
          causes: causeOrder(ofOther),
        },
      }
    },
  }
}

/** Reads the files of the open run again under other options, beside it. */
export function readingUnder(runs: OpenRuns): LabHost['reportsUnder'] {
  return async (change, signal, tell) => {
    const open = runs.current()
    // It would wait until somebody ends that.
    if (runs.following?.isOn) throw new Error('The run is still followed. End following, then try another policy.')
    await open.done
    if (!open.isWhole) throw new Error(PARTLY_READ)
    const stillOpen = () => {
      signal.throwIfAborted()
      if (runs.open !== open) throw new Error(OVERTAKEN)
    }
    stillOpen()
    const other = await runs.read(
      runs.files.sources,
      { ...runs.settings, ...change },
      {
        dataset: runs.files.dataset,
        // Verdicts that take two runs would else come out otherwise for want of the second.
        against: runs.second?.secondRun() ?? null,
        signal,
        onProgress: ({ bytesRead, bytesTotal }) => tell({ done: bytesRead, of: bytesTotal }),
      },
    )
    await other.done
    // Nobody asks what its files hash to, which are those that are open.
    other.close()
    stillOpen()
    return { before: open.report(), after: other.report() }
  }
}

function nothingToCompare({ unreadable }: Session): string {
  const why = unreadable.map(({ message }) => message).join(' ')
  return `No rollout of the second run could be read, so there is nothing to compare with. ${why}`.trimEnd()
}
