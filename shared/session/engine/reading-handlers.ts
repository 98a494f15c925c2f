import { judgeAll } from '../concluding/judging-on.ts'
import { pageReport } from '../concluding/page-report.ts'
import { followToTell } from '../following/tell-following.ts'
import type { EngineHandlers } from './handlers.ts'
import { type OpenRuns, openedDump } from './open-runs.ts'

/** What begins and ends the reading of the open run, and its judging. */
export function readingHandlers(
  runs: OpenRuns,
): EngineHandlers<'open' | 'reconfigure' | 'follow' | 'stopReading' | 'stopJudging' | 'judgeOn' | 'close'> {
  return {
    async open({ sources: given, options, dataset: besides = [] }, signal, _, call) {
      const stillMine = runs.taking()
      const dataset = await runs.dataset(besides, options, signal)
      stillMine(signal)
      runs.files = { given, sources: given.map((input) => runs.host.byteSource(input)), dataset }
      return runs.start(options, signal, call)
    },
    async reconfigure({ options, dataset: besides }, signal, _, call) {
      const stillMine = runs.taking()
      if (besides !== undefined) {
        const dataset = await runs.dataset(besides, options, signal)
        stillMine(signal)
        runs.files = { ...runs.files, dataset }
      }
      return runs.start(options, signal, call, runs.following?.again() ?? null)
    },
    async follow({ on, handles = [] }, signal, _, call) {
      if (on) {
        if (runs.host.watch === undefined) throw new Error('Files cannot be followed here.')
        const stillMine = runs.taking()
        const look = await runs.host.watch(runs.files.given, handles)
        stillMine(signal)
        return runs.start(runs.settings, signal, call, followToTell(look, runs.answer))
      }
      const open = runs.current()
      const followed = runs.following
      followed?.end()
      await open.done
      // Whatever reads them again reads them as they are by now: a browser gives up a file that was written to since it was opened.
      const now = await followed?.following.look().catch(() => null)
      if (now && runs.open === open) runs.files = { ...runs.files, sources: now.map(({ source }) => source) }
      return openedDump(open, await open.settled())
    },
    async stopReading() {
      const open = runs.current()
      runs.following?.endAtOnce()
      await open.done
      return { isWhole: open.isWhole }
    },
    async stopJudging() {
      const open = runs.current()
      open.stopJudging()
      const report = pageReport(await open.settled())
      const isWhole = open.isJudged
      if (isWhole) open.judgeOn()
      return { report, isWhole }
    },
    async judgeOn() {
      judgeAll(runs.current())
      return {}
    },
    async close() {
      runs.close()
      return {}
    },
  }
}
