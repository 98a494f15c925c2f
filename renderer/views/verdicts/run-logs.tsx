import type { LogReport } from '../../../shared/model/report.ts'
import { counted, real } from '../../text/numbers.ts'
import { HEIGHT, seriesPath, WIDTH } from './series-path.ts'

/** What log files of the run say by step, beside its rollouts. */
export function RunLogs({ logs }: { logs: readonly LogReport[] }) {
  if (logs.length === 0) return null
  return (
    <section aria-labelledby="run-logs">
      <h2 id="run-logs">What the run logged</h2>
      {logs.map((log, position) => (
        // Two files may have one name.
        // biome-ignore lint/suspicious/noArrayIndexKey: logs of one report never move
        <LogEntry key={position} log={log} />
      ))}
    </section>
  )
}

function LogEntry({ log }: { log: LogReport }) {
  const { name, title, series, others, notes } = log
  return (
    <div className="run-log">
      <p>
        <strong>{name}</strong> <span className="quiet">{title}</span>
      </p>
      {series.length === 0 ? (
        <p className="quiet">None of its numbers is one that is known by its name.</p>
      ) : (
        <div className="series-list">
          {series.map((one) => (
            <Series key={one.metric} series={one} />
          ))}
        </div>
      )}
      {notes.map((note) => (
        <p key={note} className="quiet">
          {note}
        </p>
      ))}
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, 'more series', 'more series')}</summary>
          <p className="quiet series-others">{others.join(', ')}</p>
        </details>
      )}
    </div>
  )
}

function Series({ series }: { series: LogReport['series'][number] }) {
  const { name, metric, steps, values } = series
  const known = values.filter((value) => value !== null)
  const words = metric.replaceAll('-', ' ')
  const went = known.length === 0 ? 'no finite value' : `${real(known[0])} → ${real(known.at(-1))}`
  const over = steps.length > 0 ? `steps ${real(steps[0])} to ${real(steps.at(-1))}` : 'no step'
  return (
    <figure className="series">
      <figcaption>
        <strong>{words}</strong> <span className="quiet">{name === metric ? '' : name}</span>
      </figcaption>
      <svg
        viewBox={`-3 -3 ${WIDTH + 6} ${HEIGHT + 6}`}
        role="img"
        aria-label={`${words}: ${went}, ${over}`}
        preserveAspectRatio="none"
      >
        <path d={seriesPath(steps, values)} />
      </svg>
      <p className="series-ends">
        {went} <span className="quiet">{over}</span>
      </p>
    </figure>
  )
}
