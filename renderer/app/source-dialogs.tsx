import { skippedText } from '../../shared/model/lost-files.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report, SourceReport } from '../../shared/model/report.ts'
import { reconfigure } from '../data/dump.ts'
import { holdsNoRollouts } from '../data/unreadable.ts'
import { useFiles } from '../state/files.ts'
import { openDialog } from '../state/view.ts'
import { inApp } from '../text/app-words.ts'
import { bytes, count, counted } from '../text/numbers.ts'
import { spelt } from '../text/visible.ts'
import { Evidence } from './evidence.tsx'
import { ChangeMapping, MapButton } from './map-button.tsx'
import { WithCode } from './with-code.tsx'

/** More than this nobody reads; the rest is counted and stands in the report of the command line. */
const MOST_LISTED = 1000

/** More sources than this are folded, each to a line. */
const MOST_UNFOLDED = 3

export function SourceList({ report }: { report: Report }) {
  const unreadable = useFiles((files) => files.unreadable)
  const isHashing = useFiles((files) => files.hashing)
  const problems = unreadable.filter((file) => !holdsNoRollouts(file))
  const leftOut = unreadable.filter(holdsNoRollouts)
  return (
    <>
      {problems.map(({ name, message }) => (
        <section key={name} className="source">
          <h3>{spelt(name)}</h3>
          <p className="error-text">✖ {spelt(inApp(message))}</p>
          <MapButton message={message} />
        </section>
      ))}
      <SourceEntries sources={report.sources} isHashing={isHashing} />
      <ChangeMapping report={report} />
      {leftOut.length > 0 && (
        <section className="source">
          <h3>Left out</h3>
          {leftOut.map(({ name, message }) => (
            <p key={name} className="quiet">
              {spelt(inApp(message))}
            </p>
          ))}
        </section>
      )}
      {(report.logs ?? []).map(({ name, title, bytes: size, evidence }) => (
        <section key={name} className="source">
          <h3>{spelt(name)}</h3>
          <p>
            {title}, {bytes(size)}, a log of the run without rollouts
          </p>
          <Evidence evidence={[evidence]} />
        </section>
      ))}
    </>
  )
}

/** Every source that could be read. `isHashing`: what some of them hash to is still to come. */
export function SourceEntries({ sources, isHashing }: { sources: Report['sources']; isHashing: boolean }) {
  const read = sources.filter((source) => source.unreadable === undefined)
  return (
    <>
      {read.map((source, position) => (
        // Two files may have one name.
        // biome-ignore lint/suspicious/noArrayIndexKey: sources of one report never move
        <SourceEntry key={position} source={source} isHashing={isHashing} isFolded={read.length > MOST_UNFOLDED} />
      ))}
    </>
  )
}

function SourceEntry({ source, isFolded, isHashing }: { source: SourceReport; isFolded: boolean; isHashing: boolean }) {
  if (!isFolded) {
    return (
      <section className="source">
        <h3>{spelt(source.name)}</h3>
        <SourceFacts source={source} isHashing={isHashing} />
      </section>
    )
  }
  return (
    <details className="source">
      <summary>
        <strong>{spelt(source.name)}</strong>{' '}
        <span className="quiet">
          {source.format?.id ?? 'not read'} · {counted(source.trajectories, 'rollout')}
          {source.skipped.length > 0 && ` · ${skippedText([source])}`}
        </span>
      </summary>
      <SourceFacts source={source} isHashing={isHashing} />
    </details>
  )
}

function SourceFacts({ source, isHashing }: { source: SourceReport; isHashing: boolean }) {
  return (
    <dl className="pairs">
      <div>
        <dt>size</dt>
        <dd>
          {bytes(source.bytes)}
          {source.container !== null && `, ${source.container}`}
        </dd>
      </div>
      {source.format !== null && (
        <div>
          <dt>format</dt>
          <dd>
            <strong>{source.format.id}</strong>
            {source.format.version !== null && ` (${source.format.version})`}
            <Evidence confidence={source.format.confidence} evidence={source.format.evidence} />
            <FormatChoice source={source} rivals={source.format.rivals ?? []} />
          </dd>
        </div>
      )}
      <div>
        <dt>holds</dt>
        <dd>
          {counted(source.records, 'record')}, {counted(source.trajectories, 'rollout')}
          {source.skipped.length > 0 && `, ${skippedText([source])}`}
        </dd>
      </div>
      {source.notes !== undefined && (
        <div>
          <dt>to know</dt>
          <dd>
            {source.notes.map((line) => (
              <p key={line}>
                <WithCode text={spelt(inApp(line))} />
              </p>
            ))}
          </dd>
        </div>
      )}
      {source.drift.length > 0 && (
        <div>
          <dt>unlike the format or the other records</dt>
          <dd>
            {source.drift.map((line) => (
              <p key={line}>
                <WithCode text={spelt(line)} />
              </p>
            ))}
          </dd>
        </div>
      )}
      {(source.sha256 !== null || isHashing) && (
        <div>
          <dt>SHA-256</dt>
          <dd>
            {source.sha256 === null ? (
              <span className="quiet">still to come: the file is being hashed</span>
            ) : (
              <code className="hash">{source.sha256}</code>
            )}
          </dd>
        </div>
      )}
    </dl>
  )
}

/** Where records look like those of several trainers, only the person knows whose they are. */
function FormatChoice({ source, rivals }: { source: SourceReport; rivals: readonly string[] }) {
  const { options, phase } = useFiles()
  const { [source.name]: named, ...others } = options.readAs ?? {}
  const readAs = (chosen: AuditOptions['readAs']) => {
    openDialog(null)
    void reconfigure({ readAs: chosen })
  }
  if (named !== undefined) {
    return (
      <button type="button" className="link" onClick={() => readAs(others)}>
        Ask again which trainer wrote it
      </button>
    )
  }
  if (rivals.length === 0) return null
  return (
    <fieldset className="format-choice">
      <legend>▲ Which trainer wrote it? These are as sure of its records:</legend>
      {rivals.map((id) => (
        <button
          key={id}
          type="button"
          className="button small"
          aria-pressed={id === source.format?.id}
          disabled={phase !== 'open' && phase !== 'reading'}
          onClick={() => readAs({ ...others, [source.name]: id })}
        >
          {id}
        </button>
      ))}
    </fieldset>
  )
}

export function SkippedList({ report }: { report: Report }) {
  const skipped = report.sources.flatMap(({ name, skipped: records }, source) =>
    records.map((record) => ({ name, source, ...record })),
  )
  return (
    <>
      <p className="quiet">
        These records could not be read. Every other record of their file was, unless the reason says that the rest of
        it is lost.
      </p>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">file</th>
            <th scope="col">record</th>
            <th scope="col">line</th>
            <th scope="col">byte</th>
            <th scope="col">reason</th>
          </tr>
        </thead>
        <tbody>
          {skipped.slice(0, MOST_LISTED).map((record) => (
            <tr key={`${record.source}:${record.record}:${record.byte}`}>
              <td>{spelt(record.name)}</td>
              <td className="number">{record.record}</td>
              <td className="number">{record.line ?? '–'}</td>
              <td className="number">{count(record.byte)}</td>
              <td>{spelt(inApp(record.message))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {skipped.length > MOST_LISTED && <p className="quiet">and {count(skipped.length - MOST_LISTED)} more</p>}
    </>
  )
}
