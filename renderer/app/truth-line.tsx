import type { Report } from '../../shared/model/report.ts'
import { LIMIT_NAMES } from '../../shared/model/streams.ts'
import { drawKey } from '../commands/keys.ts'
import { toggleFollow } from '../data/follow.ts'
import { openOther } from '../data/opening.ts'
import { holdsNoRollouts } from '../data/unreadable.ts'
import { useFiles } from '../state/files.ts'
import { type Dialog, openDialog } from '../state/view.ts'
import { count, counted } from '../text/numbers.ts'
import { runName } from '../text/run-name.ts'
import { limitWords, POLICY_WORDS, STREAM_WORDS, severalWords } from '../text/words.ts'
import { useSecondName } from './second-run.tsx'

/** Characters from which the names of formats may be cut. */
const LONG_FORMAT = 16
/** Characters from which the name of a run may be cut. */
const LONG_NAME = 16
/** Characters from which the words about the policy may be cut: what it means beside its name. */
const LONG_POLICY = 24

/** Each format once, and how many files are of none that is known: in a list of names that would be one more. */
function formatsOf(sources: Report['sources']): string {
  const known = [...new Set(sources.flatMap(({ format }) => format?.id ?? []))].join(', ')
  const unread = sources.filter(
    ({ name, format, unreadable }) =>
      format === null && (unreadable === undefined || !holdsNoRollouts({ name, code: unreadable.code })),
  ).length
  if (unread === 0) return known || 'log of a run'
  const without = sources.length === 1 ? 'not read' : `${counted(unread, 'file')} not read`
  return known === '' ? without : `${known} · ${without}`
}

/** The top line: what was opened, how it was understood, and what it lacks. Each entry opens its reason. */
export function TruthLine() {
  const report = useFiles((files) => files.report)
  const rollouts = useFiles((files) => files.rollouts)
  const second = useSecondName()
  const dataset = useFiles((files) => files.dataset)
  const isBegun = useFiles((files) => files.phase === 'reading' || files.readingFailed !== null)
  if (report === null) return null
  // Before the first rollout nothing is known to be missing, nor where reading ends before it.
  const isEmpty = isBegun && report.totals.trajectories === 0
  const tokenizer = report.tokenizer.id ?? 'no tokenizer'
  const isRendered = report.sources.some(({ rendering }) => (rendering?.rollouts ?? 0) > 0)
  const name = runName(report.sources.length > 0 ? report.sources : (report.logs ?? []))
  const format = formatsOf(report.sources)
  const policy = policyOf(report)
  return (
    <header className="truth-line">
      <span className="truth-brand" aria-hidden="true">
        ▚
      </span>
      <Entry
        dialog="sources"
        label="files"
        value={name}
        yielding={name.length > LONG_NAME ? 'name strong' : 'strong'}
      />
      <Entry
        dialog="sources"
        label="format"
        value={format}
        warn={report.sources.some((source) => source.format?.rivals !== undefined)}
        yielding={format.length > LONG_FORMAT ? 'long' : undefined}
      />
      <span className="truth-entry truth-fixed">
        <span className="truth-label">rollouts</span> {isEmpty && rollouts === 0 ? 'none yet' : count(rollouts)}
      </span>
      <Entry
        dialog="tokenizer"
        label="tokenizer"
        value={isRendered ? `${tokenizer}, texts rendered` : tokenizer}
        warn={
          isRendered ||
          report.tokenizer.id === null ||
          report.tokenizer.confidence < 0.8 ||
          report.tokenizer.lacks !== undefined
        }
      />
      <Entry
        dialog="policy"
        label="policy"
        value={policy}
        yielding={policy.length > LONG_POLICY ? 'long' : undefined}
        warn={report.policy.suggested !== null || report.policy.conventions !== undefined}
      />
      <Entry dialog="limits" label="limits" value={isEmpty ? 'not known yet' : limitsOf(report)} yielding="long" />
      {!isEmpty && <Missing report={report} />}
      {dataset.length > 0 && <Entry dialog="dataset" label="dataset" value={runName(dataset)} yielding="name" />}
      {second !== null && <Entry dialog="second" label="second run" value={second} yielding="name" />}
      <span className="truth-actions">
        <FollowButton />
        {second === null && (
          <button
            type="button"
            className="button quiet-button"
            aria-haspopup="dialog"
            title="Judge this run beside another one"
            onClick={() => openDialog('second')}
          >
            Compare…
          </button>
        )}
        <button type="button" className="button quiet-button" onClick={openOther}>
          Open…
        </button>
        <button
          type="button"
          className="button quiet-button"
          title="Find a command"
          onClick={() => openDialog('palette')}
        >
          <span className="visually-hidden">Find a command</span> <kbd>{drawKey('Mod+k')}</kbd>
        </button>
      </span>
    </header>
  )
}

/** How an entry gives way where there is little room: a name, a list, or what the dump lacks; else not at all. */
type Yielding = 'name' | 'name strong' | 'strong' | 'long' | 'long yields'

function Entry(props: { dialog: Dialog; label: string; value: string; yielding?: Yielding; warn?: boolean }) {
  const { dialog, label, value, yielding, warn = false } = props
  return (
    <button
      type="button"
      className={yielding === undefined ? 'truth-entry' : `truth-entry ${yielding}`}
      aria-haspopup="dialog"
      title={value}
      onClick={() => openDialog(dialog)}
    >
      <span className="truth-label">{label}</span>{' '}
      <span className="truth-value">
        {warn && (
          <span className="warn-text" role="img" aria-label="to be looked at">
            ▲{' '}
          </span>
        )}
        {value}
      </span>
    </button>
  )
}

function FollowButton() {
  const following = useFiles((files) => files.following)
  return (
    <button
      type="button"
      className="button quiet-button follow-button"
      aria-pressed={following}
      title={following ? 'New rollouts appear as they are written' : 'Read on while the run writes these files'}
      onClick={() => void toggleFollow()}
    >
      Follow
    </button>
  )
}

function Missing({ report }: { report: Report }) {
  const missing = missingOf(report)
  if (missing.length === 0) return null
  const [first, second] = missing
  const named = missing.length <= 2 ? [first, second].filter((stream) => stream !== undefined) : [first]
  const rest = missing.length - named.length
  const words = named.map((stream) => STREAM_WORDS[stream as (typeof missing)[number]].name).join(', ')
  return (
    <Entry
      dialog="missing"
      label="without"
      yielding="long yields"
      value={rest > 0 ? `${words} and ${counted(rest, 'more', 'more')}` : words}
    />
  )
}

export function missingOf(report: Report) {
  return [...new Set(report.sources.flatMap((source) => source.missing))]
}

function policyOf(report: Report): string {
  const { id, origin, intended, suggested } = report.policy
  return [
    // Nobody declared it: the format of the files says so.
    origin === 'format' ? `${POLICY_WORDS[id].name}, by the format` : POLICY_WORDS[id].name,
    ...(intended.length === 0 ? [] : [`${intended.join(' ')} meant`]),
    ...(suggested === null ? [] : [`${POLICY_WORDS[suggested].name} suggested, not in force`]),
  ].join('; ')
}

function limitsOf(report: Report): string {
  const known = LIMIT_NAMES.flatMap((name) => {
    const limit = report.limits[name]
    if (limit !== null) return [limitWords(name, limit)]
    const several = report.limits_by_rollout?.[name] ?? []
    return several.length === 0 ? [] : [severalWords(name, several, report.limits_left_out?.[name])]
  })
  if (known.length === 0) return 'not known'
  return known.length === 1 ? (known[0] as string) : `${known[0]} and ${known.length - 1} more`
}
