import type { PolicyId } from '../../../shared/model/policy.ts'
import type { PolicyTried } from '../../../shared/session/requests/lab.ts'
import { CheckName } from '../../app/check-name.tsx'
import { reconfigure } from '../../data/dump.ts'
import { useFiles } from '../../state/files.ts'
import { goTo } from '../../state/place.ts'
import { count } from '../../text/numbers.ts'
import { POLICY_WORDS, VERDICT_WORDS } from '../../text/words.ts'
import { type LabPlace, NONE_MEANT } from './lab-place.ts'
import { TrialState } from './trial-state.tsx'
import { useTrial } from './use-trial.ts'

const STATUS_WORDS = {
  fail: 'fails',
  pass: 'passes',
  'not-checkable': 'not checkable',
  'not-applicable': 'nothing to look at',
} as const

const NONE: readonly string[] = []

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((code) => others.includes(code))
}

/** Which findings come and go when the run means to train something else. */
export function PolicyPanel({ place }: { place: LabPlace }) {
  const report = useFiles((files) => files.report)
  const policy = place.policy ?? report?.policy.id ?? 'rl'
  const inForce = useFiles((files) => files.options.intend) ?? NONE
  const intend = place.intend ?? inForce
  const isSame = report !== null && policy === report.policy.id && isSameSet(intend, inForce)
  const trial = useTrial('tryPolicy', isSame ? null : { policy, intend })
  const failing = (report?.checks ?? []).filter(({ code, status }) => status === 'fail' || inForce.includes(code))
  return (
    <section aria-label="Another policy">
      <h2>What the run means to train</h2>
      <p className="quiet">
        A fault is one only if it is not meant. Try another policy, or declare codes as intended: the files are read
        again beside what is open, and nothing changes until you adopt it.
      </p>
      <div className="lab-columns">
        <div className="lab-controls">
          <fieldset className="lab-choice">
            <legend>policy</legend>
            {(Object.keys(POLICY_WORDS) as PolicyId[]).map((id) => (
              <label key={id}>
                <input
                  type="radio"
                  name="policy"
                  checked={policy === id}
                  onChange={() => goTo('lab', { policy: id })}
                />{' '}
                {POLICY_WORDS[id].name}: {POLICY_WORDS[id].what}
                {report?.policy.id === id && <span className="quiet"> (in force)</span>}
              </label>
            ))}
          </fieldset>
          {failing.length > 0 && (
            <fieldset className="lab-choice">
              <legend>intended</legend>
              {failing.map(({ code, title }) => (
                <label key={code}>
                  <input
                    type="checkbox"
                    checked={intend.includes(code)}
                    onChange={() => {
                      const next = intend.includes(code) ? intend.filter((other) => other !== code) : [...intend, code]
                      goTo('lab', { intend: isSameSet(next, inForce) ? null : next.sort().join('.') || NONE_MEANT })
                    }}
                  />{' '}
                  {code} {title}
                </label>
              ))}
            </fieldset>
          )}
        </div>
        <div className={trial.isStale && !isSame ? 'lab-result stale' : 'lab-result'}>
          {isSame ? (
            <p className="quiet">This is what the report is judged by now.</p>
          ) : (
            <>
              <TrialState trial={trial} doing="Reading again under this policy" />
              {trial.result !== null && <Changes tried={trial.result} />}
              <button
                type="button"
                className="button"
                disabled={trial.result === null || trial.isStale}
                onClick={() => {
                  goTo('lab', { policy: null, intend: null })
                  void reconfigure({ policy, intend: intend.length === 0 ? undefined : intend })
                }}
              >
                Adopt it
              </button>
            </>
          )}
        </div>
      </div>
    </section>
  )
}

function Changes({ tried }: { tried: PolicyTried }) {
  const { checks, verdicts } = tried
  if (checks.length + verdicts.length === 0) return <p>Nothing changes: no check and no verdict comes out otherwise.</p>
  return (
    <>
      {verdicts.length > 0 && (
        <ul className="lab-verdicts">
          {verdicts.map(({ id, title, before, after }) => (
            <li key={id}>
              <strong>{id}</strong> {title}: {VERDICT_WORDS[before].glyph} {VERDICT_WORDS[before].name} →{' '}
              {VERDICT_WORDS[after].glyph} <strong>{VERDICT_WORDS[after].name}</strong>
            </li>
          ))}
        </ul>
      )}
      {checks.length > 0 && (
        <table className="part-table">
          <thead>
            <tr>
              <th scope="col">check</th>
              <th scope="col">now</th>
              <th scope="col">then</th>
            </tr>
          </thead>
          <tbody>
            {checks.map(({ code, title, before, after }) => (
              <tr key={code}>
                <th scope="row">
                  <CheckName code={code} /> {title}
                </th>
                <td>{outcome(before)}</td>
                <td>{outcome(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function outcome({ status, affected, checked, intended }: PolicyTried['checks'][number]['before']): string {
  const meant = intended > 0 ? `intended in ${count(intended)} of ${count(checked)}` : ''
  if (status === 'fail') {
    return `${STATUS_WORDS.fail} in ${count(affected)} of ${count(checked)}${meant === '' ? '' : `, ${meant}`}`
  }
  return meant === '' ? STATUS_WORDS[status] : meant
}
