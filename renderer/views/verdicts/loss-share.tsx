import type { ReactNode } from 'react'
import { isOrAre } from '../../../shared/model/number-text.ts'
import { PART_WORDS } from '../../../shared/model/part-words.ts'
import type { Report } from '../../../shared/model/report.ts'
import { PARTS, TURN_KINDS } from '../../../shared/model/tokens.ts'
import { type TokenSums, trainedShare } from '../../../shared/model/trained-share.ts'
import { quote } from '../../../shared/query/language/format.ts'
import { ABSENT, count, counted, NOT_IN_DUMP, percent, percentOfColumn } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { ENDS_BY_ROLE, PART_CHECKS } from '../../text/words.ts'
import { behindShare, behindTrained, NumberLink, ShowLink, type Shows, withTokens } from './number-link.tsx'

const STATES = ['trained', 'masked', 'padding', 'unknown'] as const

/** All tokens by state, as one bar. Lost text is no part of it: it is not in any sequence. */
export function TokenTotals({ totals }: { totals: Report['totals'] }) {
  const { tokens } = totals
  // Of a token without a mask nobody knows whether it is trained.
  const known = tokens.trained + tokens.masked
  return (
    <div className="token-totals">
      <p className="quiet">
        Of all{' '}
        <NumberLink value={tokens.total} behind={{ query: 'has:ids' }} title="Show the rollouts with token ids" />{' '}
        {tokens.total === 1 ? 'token' : 'tokens'}
        {tokens.padding > 0 && ', padding included'}:
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
                <ShowLink {...withTokens(`state:${state}`)}>
                  {percent(tokens[state] / Math.max(1, tokens.total))}{' '}
                  <span className="quiet">{count(tokens[state])}</span>
                </ShowLink>
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
          rollouts has it:{' '}
          <ShowLink behind={{ query: 'trained_share>=0' }} title="Show the rollouts whose trained share is known">
            {percent(tokens.trained / known)} of {count(known)}
          </ShowLink>{' '}
          tokens.
          {tokens.unknown > 0 && ' So are the shares of parts, turns and tools below.'}
        </p>
      )}
    </div>
  )
}

/** Why the shares of what the model wrote are below 100 % where every mask is right: tokens of rows that are masked whole are among them. */
export function MaskedWhole({ report: { checks, totals } }: { report: Report }) {
  const nothingTrained = checks.find(({ code }) => code === 'M04')
  const whole = nothingTrained === undefined ? 0 : nothingTrained.affected + nothingTrained.intended
  if (whole === 0 || totals.tokens.trained === 0) return null
  return (
    <p className="quiet">
      <ShowLink behind={{ codes: ['M04'] }} title="Show the rollouts with M04">
        {count(whole)} of {counted(totals.trajectories, 'rollout')}
      </ShowLink>{' '}
      {isOrAre(whole)} masked whole. Their tokens are in the shares of parts, turns and tools here, and lower them.
    </p>
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
        <TrainedShare sums={sums} tokens={query} />
      </td>
      <td className="number">
        {trained === null ? ABSENT : <NumberLink value={trained} {...behindTrained(codes, query)} />}
      </td>
      <td className="number">
        <NumberLink value={total} {...withTokens(query)} />
        <WithoutMask sums={sums} tokens={query} />
      </td>
    </tr>
  )
}

function callsOf(tool: string | null): string {
  return tool === null ? 'part:tool_call' : `part:tool_call ${quote(tool)}`
}

function repliesOf(tool: string | null): string {
  return tool === null ? 'reply_tokens>=0' : `${callsOf(tool)} reply_tokens>=0`
}

/** Which reply is to which call no query tells: what is narrowed by the tool are the rollouts. */
function replyTokensOf(tool: string | null): string {
  return tool === null ? 'part:tool' : `part:tool (${callsOf(tool)})`
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
              <NumberLink
                value={calls.count}
                behind={{ query: callsOf(tool) }}
                title={
                  tool === null
                    ? 'Show the rollouts with calls'
                    : 'Show the rollouts whose calls have this name in them'
                }
              />
            </td>
            <td className="number">
              <MeanLength of={calls} behind={{ query: callsOf(tool) }} title="Show the rollouts with these calls" />
            </td>
            <td>
              <TrainedShare sums={calls} tokens={callsOf(tool)} />
            </td>
            <td className="number">
              <MeanLength
                of={replies}
                behind={{ query: repliesOf(tool) }}
                title={
                  tool === null ? 'Show the rollouts with replies' : 'Show the rollouts that call it and have replies'
                }
              />
            </td>
            <td>
              <TrainedShare sums={replies} tokens={replyTokensOf(tool)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Share of the tokens with a mask; `tokens` is a query that finds just these. */
export function TrainedShare({ sums, tokens }: { sums: TokenSums; tokens: string }) {
  if (sums.total === 0) return <span className="quiet">{ABSENT}</span>
  const share = trainedShare(sums)
  if (share === null) return <span className="quiet">{NOT_IN_DUMP}</span>
  return (
    <ShareBar share={share}>
      <ShowLink {...behindShare(share, tokens)}>{percentOfColumn(share)}</ShowLink>
    </ShareBar>
  )
}

/** How many of the tokens beside it are in no share. */
export function WithoutMask({ sums: { unknown = 0 }, tokens }: { sums: TokenSums; tokens: string }) {
  if (unknown === 0) return null
  return (
    <span className="quiet without-mask">
      <NumberLink value={unknown} {...withTokens(`state:unknown ${tokens}`)} /> without a mask
    </span>
  )
}

function MeanLength({ of, ...shows }: Shows & { of: { count: number; total: number } }) {
  if (of.count === 0) return <>{ABSENT}</>
  return <ShowLink {...shows}>{count(Math.round(of.total / of.count))}</ShowLink>
}

/** A share of a table's column as a bar and as a number. */
export function ShareBar({ share, children = percentOfColumn(share) }: { share: number; children?: ReactNode }) {
  return (
    <span className="share">
      <span className="share-bar" aria-hidden="true">
        <span className="share-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="number">{children}</span>
    </span>
  )
}
