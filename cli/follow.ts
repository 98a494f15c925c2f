import type { Judgement } from '../shared/exports/phrases.ts'
import { counted } from '../shared/model/number-text.ts'
import { FirstFault, faultSentence } from '../shared/session/concluding/first-fault.ts'
import type { Following } from '../shared/session/following/follow.ts'
import type { Session } from '../shared/session/session.ts'
import type { OptionValue } from './arguments.ts'
import type { OpenedSources } from './files.ts'
import { type CommandIo, UsageError } from './io.ts'
import type { ProgressLine } from './progress.ts'
import { createTerminal } from './terminal.ts'
import { watchPaths } from './watch.ts'

/** A run that is followed, begun when it is its turn to be read. */
export interface FollowedPaths extends OpenedSources {
  begin(judgement: Judgement | null, progress: ProgressLine): Following & { judge(session: Session): void }
}

/** Follows what a person named until a finding fails, or the person ends it. Throws `UsageError` for what cannot be followed. */
export async function followPaths(
  named: readonly string[],
  options: Readonly<Record<string, OptionValue>>,
  io: CommandIo,
  relativeTo: string | null,
): Promise<FollowedPaths> {
  const choosing = ['limit', 'sample'].find((name) => options[name] !== undefined)
  if (choosing !== undefined) {
    throw new UsageError(
      `--follow cannot be had with --${choosing}, which chooses from a run that is over. Leave one of them out.`,
    )
  }
  const { look, paths } = await watchPaths(named, io, relativeTo)
  return {
    sources: [],
    problems: [],
    get paths() {
      return [...paths]
    },
    begin(judgement, progress) {
      const ended = new AbortController()
      io.interrupted?.().addEventListener(
        'abort',
        () => {
          progress.tell('reading what was written until now; Ctrl-C again stops at once')
          ended.abort()
        },
        { once: true },
      )
      const terminal = createTerminal(io.stderr, io.env)
      const say = (sentence: string) => {
        progress.clear()
        terminal.line(sentence, 2)
      }
      const first = new FirstFault(judgement ?? { failOn: 'none', known: new Set() })
      let session: Session | null = null
      return {
        look,
        until: ended.signal,
        onNotice: say,
        onRound(read) {
          if (session === null || ended.signal.aborted) return
          const at = session
          progress.tell(`following, ${counted(at.facts.length, 'rollout')} read; Ctrl-C ends it`)
          const found = first.after(read, () => at.report())
          if (found === null) return
          say(faultSentence(found.fault, found.report))
          ended.abort()
        },
        judge(opened) {
          session = opened
        },
      }
    },
  }
}
