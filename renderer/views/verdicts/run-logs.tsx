import type { LogReport } from '../../../shared/model/report.ts'
import { counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { StepChart } from '../charts/step-chart.tsx'
import { StepTable } from '../charts/step-table.tsx'

/** What log files of the run say by step, beside its rollouts. */
export function RunLogs({ logs }: { logs: readonly LogReport[] }) {
  if (logs.length === 0) return null
  return (
    <section aria-labelledby="run-logs">
      <h2 id="run-logs">What the run logged</h2>
      {logs.map((log, position) => (
        // Two files may have one name.
        // biome-ignore lint/suspicious/noArrayIndexKey: logs of one report never move
        <LogEntry key={position} log={log} name={`log ${position}`} />
      ))}
    </section>
  )
}

function LogEntry({ log, name: place }: { log: LogReport; name: string }) {
  const { name, title, series, others, notes } = log
  const lines = series.map((one) => ({
    metric: one.metric,
    title: one.metric.replaceAll('-', ' '),
    over: one.name === one.metric ? '' : spelt(one.name),
    unit: 'number' as const,
    line: { name: null, steps: one.steps, values: one.values },
  }))
  return (
    <div className="run-log">
      <p>
        <strong>{spelt(name)}</strong> <span className="quiet">{title}</span>
      </p>
      {lines.length === 0 ? (
        <p className="quiet">None of its numbers is one that is known by its name.</p>
      ) : (
        <>
          <div className="step-charts">
            {lines.map(({ metric, line, ...words }) => (
              <StepChart key={metric} {...words} lines={[line]} isSmall />
            ))}
          </div>
          <StepTable name={place} what={`what ${spelt(name)} logged`} stem="log" columns={lines} />
        </>
      )}
      {notes.map((note) => (
        <p key={note} className="quiet">
          {spelt(note)}
        </p>
      ))}
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, 'more series', 'more series')}</summary>
          <p className="quiet series-others">{others.map(spelt).join(', ')}</p>
        </details>
      )}
    </div>
  )
}
