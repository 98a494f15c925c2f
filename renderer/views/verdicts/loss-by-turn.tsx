import type { Report } from '../../../shared/model/report.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { ABSENT } from '../../text/numbers.ts'
import { TrainedShare, WithoutMask } from './loss-share.tsx'
import { behindTrained, NumberLink } from './number-link.tsx'

/** More turns than these are folded away; the first ones tell whether the loss follows the turns. */
const SHOWN = 8

/** How much of each assistant turn is trained: a mask that is right in the first turn only shows here. */
export function LossByTurn({ report }: { report: Report }) {
  const turns = Object.entries(report.totals.by_turn).sort(([a], [b]) => Number(a) - Number(b))
  if (turns.length === 0) return <p className="quiet">Without turns in the ids none can be told from another.</p>
  const rest = turns.slice(SHOWN)
  return (
    <>
      <TurnTable report={report} turns={turns.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <KeptDetails name="more turns" className="more-turns" summary={`turns ${rest[0]?.[0]} to ${rest.at(-1)?.[0]}`}>
          <TurnTable report={report} turns={rest} />
        </KeptDetails>
      )}
    </>
  )
}

type Turns = readonly (readonly [string, Report['totals']['by_turn'][string]])[]

function TurnTable({ report, turns }: { report: Report; turns: Turns }) {
  return (
    <table className="part-table">
      <thead>
        <tr>
          <th scope="col">assistant turn</th>
          <th scope="col">share of the turn that is trained</th>
          <th scope="col" className="number">
            trained
          </th>
          <th scope="col" className="number">
            of tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {turns.map(([turn, sums]) => (
          <tr key={turn}>
            <th scope="row">{turn}</th>
            <td>
              <TrainedShare sums={sums} tokens={tokensOf(turn)} />
            </td>
            <td className="number">
              {sums.trained === null ? (
                ABSENT
              ) : (
                <NumberLink
                  value={sums.trained}
                  {...behindTrained(maskCodes(report, turn), tokensOf(turn), `assistant_turn:${turn}`)}
                />
              )}
            </td>
            <td className="number">
              <NumberLink
                value={sums.total}
                behind={{ query: `assistant_turns>=${turn}` }}
                title="Show the rollouts that have this turn"
              />
              <WithoutMask sums={sums} tokens={tokensOf(turn)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Finds what the model wrote in a turn, which its header and what stands behind its end are no part of. */
function tokensOf(turn: string): string {
  return `assistant_turn:${turn} role:assistant -part:header,separator`
}

function maskCodes(report: Report, turn: string): string[] {
  return report.checks
    .filter(({ code, status, by_turn }) => code.startsWith('M') && status === 'fail' && (by_turn[turn] ?? 0) > 0)
    .map(({ code }) => code)
}
