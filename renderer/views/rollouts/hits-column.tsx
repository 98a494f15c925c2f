import type { SearchHits } from '../../../shared/session/requests/query.ts'
import { count } from '../../text/numbers.ts'
import type { Column } from './column.ts'

/** How often the query was found in each rollout of the list. It stands beside the id as long as the query looks into rollouts. */
export function hitsColumn(hits: SearchHits): Column {
  return {
    key: 'hits',
    title: 'hits',
    means: 'How often the texts and tokens of the query were found in the rollout. Opening it goes to the first.',
    rem: 3.8,
    grows: 0,
    sort: null,
    isNumber: true,
    needs: null,
    cell: (_, position) => {
      const found = hits.counts[position] ?? 0
      if (found === 0) return null
      const isCut = hits.more[position] === 1
      const isInMessages = hits.starts[position] === -1
      if (!isCut && !isInMessages) return count(found)
      const says = [
        ...(isCut ? [`At least ${count(found)}: more of the same are not counted.`] : []),
        ...(isInMessages ? ['In the messages, not in the tokens.'] : []),
      ]
      return (
        <span title={says.join(' ')}>
          {isCut ? '≥ ' : ''}
          {count(found)}
          {isInMessages ? ' ✉' : ''}
        </span>
      )
    },
  }
}
