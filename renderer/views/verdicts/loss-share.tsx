import { PART_WORDS } from '../../../shared/model/part-words.ts'
import type { Report } from '../../../shared/model/report.ts'
import { PARTS, TURN_KINDS } from '../../../shared/model/tokens.ts'
import { type TokenSums, trainedShare } from '../../../shared/model/trained-share.ts'
import { quote } from '../../../shared/query/language/format.ts'
import { showRollouts } from '../../commands/go.ts'
import { ABSENT, count, NOT_IN_DUMP, percent } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { ENDS_BY_ROLE, PART_CHECKS } from '../../text/words.ts'
import { behindTrained, NumberLink } from './number-link.tsx'

const STATES = ['trained', 'masked', 'padding', 'unknown'] as const

/** All tokens by state, as one bar. Lost text is no part of it: it is not in any sequence. */
export function TokenTotals({ totals }: { totals: Report['totals'] }) {
  const { tokens } = totals
  // Of a token without a mask nobody knows whether it is trained.
  const known = tokens.trained + tokens.masked
  return (
    <div className="token-totals">
      <p className="quiet">
        Of all {count(tokens.total)} tokens{tokens.padding > 0 && ', padding included'}:
      </p>
      <div className="totals-bar" aria-hidden="true">
        {STATES.map(
          (state) =>
            tokens[state] > 0 && (
              <span
                key={state}
                className={`totals-part ${state}`}
                style={{ flexGrow: tokens[state] / Math.max(1, tokens.total) }}
              />
            ),
        )}
      </div>
      <ul className="totals-legend">
        {STATES.map(
          (state) =>
            tokens[state] > 0 && (
              <li key={state}>
                <span className={`swatch ${state}`} aria-hidden="true" /> {state}{' '}
                {percent(tokens[state] / Math.max(1, tokens.total))}
                <span className="quiet">
                  {' '}
                  <NumberLink value={tokens[state]} {...behindTrained([], `state:${state}`)} />
                </span>
              </li>
            ),
        )}
        {tokens.lost > 0 && (
          <li>
            <span aria-hidden="true">✂</span> lost{' '}
            <NumberLink
              value={tokens.lost}
              behind={{ where: { lostText: true } }}
              title="Show the rollouts of which text was lost"
            />
          </li>
        )}
      </ul>
      {known < tokens.total && tokens.trained > 0 && (
        <p className="quiet">
          Trained share without padding{tokens.unknown > 0 && ' and without tokens that have no mask'}, as the table of
          rollouts has it: {percent(tokens.trained / known)} of {count(known)} tokens.
          {tokens.unknown > 0 && ' So are the shares of parts, turns and tools below.'}
        </p>
      )}
    </div>
  )
}

export function LossByPart({ report }: { report: Report }) {
  const parts = PARTS.filter((part) => (report.totals.by_part[part]?.total ?? 0) > 0)
  if (parts.length === 0) return <p className="quiet">Without token ids no part can be told from another.</p>
  const failed = new Set(report.checks.filter((check) => check.status === 'fail').map((check) => check.code))
  return (
    <table className="part-table">
      <thead>
        <tr>
          <th scope="col">part of the conversation</th>
          <th scope="col">share of the part that is trained</th>
          <th scope="col" className="number">
            trained
          </th>
          <th scope="col" className="number">
            of tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => {
          const sums = report.totals.by_part[part]
          const codes = (PART_CHECKS[part] ?? []).filter((code) => failed.has(code))
          const roles = part === 'end' ? rolesOf(report) : []
          // Only the ends of the assistant are to be trained: one share of them all would look wrong where it is right.
          if (roles.length > 0) {
            return roles.map(({ kind, sums: ofRole }) => (
              <PartRow
                key={`end ${kind}`}
                name={ENDS_BY_ROLE[kind]}
                {...ofRole}
                codes={kind === 'assistant' ? codes : []}
                query={`part:end role:${kind}`}
              />
            ))
          }
          return <PartRow key={part} name={PART_WORDS[part]} {...sums} codes={codes} query={`part:${part}`} />
        })}
      </tbody>
    </table>
  )
}

/** End tokens by the role of their turn; empty where they were not counted, or where some stand outside of turns. */
function rolesOf({ totals }: Report) {
  const { end_by_role: byRole, by_part: byPart } = totals
  const roles = TURN_KINDS.flatMap((kind) => {
    const sums = byRole?.[kind]
    return sums === undefined ? [] : [{ kind, sums }]
  })
  const counted = roles.reduce((sum, { sums }) => sum + sums.total, 0)
  return counted === byPart.end.total ? roles : []
}

interface PartRowProps extends TokenSums {
  readonly name: string
  readonly codes: readonly string[]
  /** Finds just these tokens. */
  readonly query: string
}

function PartRow({ name, codes, query, ...sums }: PartRowProps) {
  const { total, trained } = sums
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <TrainedShare sums={sums} />
      </td>
      <td className="number">
        {trained === null ? ABSENT : <NumberLink value={trained} {...behindTrained(codes, `state:trained ${query}`)} />}
      </td>
      <td className="number">
        <NumberLink value={total} {...behindTrained([], query)} />
        <WithoutMask sums={sums} />
      </td>
    </tr>
  )
}

function repliesOf(tool: string | null): string {
  return tool === null ? 'reply_tokens>=0' : `part:tool_call ${quote(tool)} reply_tokens>=0`
}

/** What each tool costs: what the model writes to call it, and what it answers with. */
export function LossByTool({ tools }: { tools: Report['totals']['by_tool'] }) {
  return (
    <table className="part-table tool-table">
      <thead>
        <tr>
          <th scope="col">tool</th>
          <th scope="col" className="number">
            calls
          </th>
          <th scope="col" className="number">
            tokens a call
          </th>
          <th scope="col">trained</th>
          <th scope="col" className="number">
            tokens a reply
          </th>
          <th scope="col">trained</th>
        </tr>
      </thead>
      <tbody>
        {tools.map(({ tool, calls, replies }) => (
          <tr key={tool ?? ''}>
            <th scope="row">{tool === null ? <span className="quiet">not named in the ids</span> : spelt(tool)}</th>
            <td className="number">
              {tool === null ? (
                count(calls.count)
              ) : (
                <NumberLink
                  value={calls.count}
                  behind={{ query: `part:tool_call ${quote(tool)}` }}
                  title="Show the rollouts whose calls have this name in them"
                />
              )}
            </td>
            <td className="number">{mean(calls)}</td>
            <td>
              <TrainedShare sums={calls} />
            </td>
            <td className="number">
              {replies.count === 0 ? (
                mean(replies)
              ) : (
                <button
                  type="button"
                  className="link"
                  title={
                    tool === null ? 'Show the rollouts with replies' : 'Show the rollouts that call it and have replies'
                  }
                  onClick={() => showRollouts({ query: repliesOf(tool) })}
                >
                  {mean(replies)}
                </button>
              )}
            </td>
            <td>
              <TrainedShare sums={replies} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Share of the tokens with a mask. */
export function TrainedShare({ sums }: { sums: TokenSums }) {
  if (sums.total === 0) return <span className="quiet">{ABSENT}</span>
  const share = trainedShare(sums)
  return share === null ? <span className="quiet">{NOT_IN_DUMP}</span> : <ShareBar share={share} />
}

/** How many of the tokens beside it are in no share. */
export function WithoutMask({ sums: { unknown = 0 } }: { sums: TokenSums }) {
  return unknown === 0 ? null : <span className="quiet without-mask">{count(unknown)} without a mask</span>
}

function mean({ count: times, total }: { count: number; total: number }): string {
  return times === 0 ? ABSENT : count(Math.round(total / times))
}

/** A share as a bar and as a number. */
export function ShareBar({ share }: { share: number }) {
  return (
    <span className="share">
      <span className="share-bar" aria-hidden="true">
        <span className="share-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="number">{percent(share)}</span>
    </span>
  )
}
