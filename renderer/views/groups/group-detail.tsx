import { useEffect } from 'react'
import type { GroupDetail, GroupSummary } from '../../../shared/session/requests/groups.ts'
import { CheckName } from '../../app/check-name.tsx'
import { LongId } from '../../app/long-id.tsx'
import { PinButton } from '../../app/pin-button.tsx'
import { Term } from '../../app/term.tsx'
import { WaitingForAnother } from '../../app/under-way.tsx'
import { Waiting } from '../../app/waiting.tsx'
import { openExport } from '../../commands/open-export.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { count, counted, percent, real } from '../../text/numbers.ts'
import { shownId, spelt, wholeId } from '../../text/visible.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { SideBySide } from '../compare/alignment-view.tsx'
import { COLUMN_WORDS, KIND_WORDS } from './group-words.ts'
import { layBeside } from './groups-place.ts'
import { RewardDots } from './reward-dots.tsx'
import { saveSiblings } from './save-tables.ts'
import { groupQuery, showInTable, shownGroup } from './shown-group.ts'
import { SiblingTable } from './sibling-table.tsx'

/** One group in full: its rollouts beside each other. */
export function GroupOf({
  position,
  summary,
  rollout,
  beside,
}: {
  position: number
  summary: GroupSummary
  rollout: number | null
  beside: number | null
}) {
  const answer = useAnswer('group', { position })
  const { wait } = answer
  const isOfAnother = answer.state === 'ready' && answer.value.row.position !== position
  const detail = answer.state === 'ready' && !(isOfAnother && wait.isStopped) ? answer.value : null
  useEffect(() => shownGroup.set(detail), [detail])
  if (answer.state === 'failed') {
    return (
      <p className="nothing error-text" role="alert">
        ✖ {answer.message}
      </p>
    )
  }
  if (detail === null) return <Waiting doing="Reading the group" wait={wait} />
  const chosen = detail.indices.includes(rollout ?? -1) ? rollout : (detail.indices[0] ?? null)
  const other = beside !== chosen && detail.indices.includes(beside ?? -1) ? beside : null
  return (
    <article className="group-detail" aria-label={`Group ${shownId(detail.row.id)}`} aria-busy={answer.isStale}>
      {isOfAnother && <WaitingForAnother doing="Reading the group" wait={wait} />}
      <Head detail={detail} />
      <Facts detail={detail} summary={summary} />
      <Findings detail={detail} />
      <RewardDots members={detail.members} components={detail.components} ends={summary.rewards} chosen={chosen} />
      <SiblingTable detail={detail} chosen={chosen} beside={other} />
      {chosen !== null && other !== null && (
        <section className="group-beside" aria-labelledby="beside" ref={showBeside}>
          <div className="group-section-head">
            <h3 id="beside">Side by side</h3>
            <button type="button" className="link" onClick={() => layBeside(null)}>
              put away
            </button>
          </div>
          <SideBySide
            left={{ run: 'open', index: chosen }}
            right={{ run: 'open', index: other }}
            names={['chosen', 'beside it']}
          />
        </section>
      )}
    </article>
  )
}

/** What was asked for by key is below what is on screen. */
function showBeside(section: HTMLElement | null): void {
  section?.scrollIntoView({ block: 'start' })
}

function Head({ detail }: { detail: GroupDetail }) {
  const { row, question } = detail
  const { glyph, name } = KIND_WORDS[row.kind]
  return (
    <header className="group-head">
      <div className="group-title">
        <h2 className="group-name" title={wholeId(row.id)}>
          Group&nbsp;
          <LongId id={row.id} />
        </h2>
        <span className={`group-kind-chip ${row.kind}`}>
          <span aria-hidden="true">{glyph}</span> {name}
        </span>
        <span className="quiet">
          {counted(row.rollouts, 'rollout')}
          {row.step === null ? '' : ` of step ${row.step}`}
        </span>
        <PinButton of={{ kind: 'group', key: { position: String(row.position) } }} what="this group" />
        <span className="group-exports">
          <button
            type="button"
            className="button small"
            title="The rollouts of this group in the table"
            disabled={groupQuery(detail) === null}
            onClick={() => showInTable(detail)}
          >
            In the table
          </button>
          <button
            type="button"
            className="button small"
            title="Rewards, and advantages under each scheme, as a table"
            onClick={() => saveSiblings(row)}
          >
            Table…
          </button>
          <button
            type="button"
            className="button small"
            title="The rollouts of this group, in a form that you choose"
            onClick={() => openExport('group')}
          >
            Export…
          </button>
        </span>
      </div>
      {question !== null && (
        <p className="group-question" title={spelt(question)}>
          {spelt(question)}
        </p>
      )}
    </header>
  )
}

/** What its rewards come to, in a sentence that says what follows from it. */
function Facts({ detail, summary }: { detail: GroupDetail; summary: GroupSummary }) {
  const { row, bound, meanOfTraining, noiseFloor } = detail
  const { scaling } = summary
  if (row.kind === 'incomplete') return <p className="group-says">{detail.incompleteBecause}</p>
  const scaledBy =
    scaling.origin === 'assumed'
      ? 'dividing by the std of the group would blow that up'
      : scaling.scaled
        ? 'the scheme in use blows that up'
        : null
  return (
    <>
      <p className="group-says">
        {row.kind === 'dead' ? (
          <>
            All {count(row.rollouts)} rewards are {real(row.mean)}: every advantage is 0, and {trainedTokens(detail)}{' '}
            teach nothing.
          </>
        ) : (
          <>
            Rewards differ by {real(row.gap)}
            {row.kind === 'noise' && `, which is below the noise floor (std ${real(row.std)} < ${real(noiseFloor)})`}
            {scaledBy !== null && row.amplification !== null
              ? `; ${scaledBy} ×${real(Number(row.amplification.toPrecision(3)))}.`
              : '; nothing scales that.'}
          </>
        )}
        {meanOfTraining !== null && row.mean !== null && (
          <>
            {' '}
            {counted(row.untrained, 'rollout')} {row.untrained === 1 ? 'trains' : 'train'} nothing: the mean of all
            rewards is {real(row.mean)}, that of those which train {real(meanOfTraining)}.
          </>
        )}
        {row.copies > 0 && <> {counted(row.copies, 'rollout is', 'rollouts are')} a copy of another, token by token.</>}
      </p>
      <dl className="group-facts">
        <Fact name="mean" value={real(row.mean)} />
        <Fact name="std" what={COLUMN_WORDS.std.what} value={real(row.std)} />
        <Fact name="gap" what={COLUMN_WORDS.gap.what} value={real(row.gap)} />
        <Fact name="largest |advantage| stored" value={real(row.largestAdvantage)} />
        {bound !== null && (
          <Fact
            name={COLUMN_WORDS.bound.name}
            what={COLUMN_WORDS.bound.what}
            value={real(Number(bound.toPrecision(4)))}
          />
        )}
      </dl>
    </>
  )
}

/** How many they are is said only where all rollouts are here and tell it. */
function trainedTokens({ members, membersOmitted }: GroupDetail): string {
  const isKnown = membersOmitted === 0 && members.every(({ row }) => row.facts.trained !== null)
  const trained = members.reduce((sum, { row }) => sum + (row.facts.trained ?? 0), 0)
  return isKnown && trained > 1 ? `${count(trained)} trained tokens` : 'its tokens'
}

function Fact({ name, what, value }: { name: string; what?: string; value: string }) {
  return (
    <div>
      <dt>{what === undefined ? name : <Term what={what}>{name}</Term>}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Findings({ detail: { findings } }: { detail: GroupDetail }) {
  const listed = findings.filter(({ intended }) => !intended)
  if (listed.length === 0) return null
  return (
    <ul className="group-findings">
      {listed.map((finding) => (
        <li key={finding.fingerprint}>
          <span className={`severity ${finding.severity}`}>
            <span aria-hidden="true">{SEVERITY_WORDS[finding.severity].glyph}</span>{' '}
            <span className="visually-hidden">{SEVERITY_WORDS[finding.severity].name}</span>
          </span>{' '}
          <CheckName code={finding.code} /> {spelt(finding.message)}
          {typeof finding.evidence.chance === 'number' && (
            <span className="quiet"> (chance alone: {percent(finding.evidence.chance)} of groups)</span>
          )}
        </li>
      ))}
    </ul>
  )
}
