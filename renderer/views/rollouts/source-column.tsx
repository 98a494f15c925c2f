import { useFiles } from '../../state/files.ts'
import { spelt } from '../../text/visible.ts'
import type { Column } from './column.ts'

/** The file that a rollout was read from. */
export const SOURCE_COLUMN: Column = {
  key: 'source',
  title: 'file',
  means: 'The file that the rollout was read from.',
  rem: 6,
  grows: 0.8,
  sort: 'source',
  isNumber: false,
  needs: null,
  cell: ({ facts }) => <SourceName source={facts.place.source} />,
}

function SourceName({ source }: { source: number }) {
  const name = spelt(useFiles((files) => files.report?.sources[source]?.name ?? String(source)))
  return <span title={name}>{name}</span>
}
