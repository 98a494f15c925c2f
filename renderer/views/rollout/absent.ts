import type { Stream } from '../../../shared/model/streams.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { useFiles } from '../../state/files.ts'
import { NOT_IN_DUMP } from '../../text/numbers.ts'

/** How a rollout says that it lacks a stream: whether its whole file does, as far as that is known. */
export function useAbsent({ run, facts }: TrajectoryDetail): (stream: Stream) => string {
  const missing = useFiles(({ report }) => (run === 'open' ? report?.sources[facts.place.source]?.missing : undefined))
  return (stream) => (missing === undefined || missing.includes(stream) ? NOT_IN_DUMP : 'not in this rollout')
}
