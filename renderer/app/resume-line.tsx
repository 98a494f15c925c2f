import { useEffect, useState } from 'react'
import { clipped } from '../../shared/model/clipped.ts'
import { counted } from '../../shared/model/number-text.ts'
import { chooseSecond } from '../data/opening.ts'
import { factsOf } from '../data/rows.ts'
import type { Address } from '../state/address.ts'
import { useFiles } from '../state/files.ts'
import { useResume } from '../state/resume.ts'
import { useSecond } from '../state/second.ts'
import { shownId, spelt } from '../text/visible.ts'
import { applyAddress } from './keep-address.ts'

/** Offers to go on where the dump was left the last time. */
export function ResumeLine() {
  const { address, beside, grownBy } = useResume()
  const hasSecond = useSecond((state) => state.chosen !== null)
  const id = useIdOf(address?.view === 'rollout' ? address.rollout : null)
  if (address === null) return null
  const forget = () => useResume.setState({ address: null })
  const needsSecond = (address.view === 'compare' && beside !== null) || address.second !== null
  if (needsSecond && !hasSecond) return <CompareAgain address={address} beside={beside} onForget={forget} />
  return (
    <p className="resume-line" role="status">
      You were at {wordsOf(address, id)} when this dump was closed{grownBy !== null && grownWords(grownBy)}.{' '}
      <button
        type="button"
        className="button small"
        onClick={() => {
          forget()
          applyAddress(address)
        }}
      >
        Go on there
      </button>{' '}
      <button type="button" className="icon-button" aria-label="Stay here" onClick={forget}>
        ✕
      </button>
    </p>
  )
}

function grownWords({ files }: { readonly files: number }): string {
  return files === 0
    ? ', and it has grown since'
    : `; ${counted(files, 'more file')} ${files === 1 ? 'is' : 'are'} open beside it now`
}

/** A second run is not opened with the first: what was compared has to be given again. */
function CompareAgain({
  address,
  beside,
  onForget,
}: {
  readonly address: Address
  readonly beside: string | null
  readonly onForget: () => void
}) {
  const go = () => {
    onForget()
    applyAddress({ ...address, view: 'compare' })
  }
  return (
    <p className="resume-line" role="status">
      You were comparing this run with {beside === null ? 'another one' : <strong>{beside}</strong>} when it was closed.
      A second run has to be opened again:{' '}
      <button
        type="button"
        className="button small"
        onClick={() => {
          go()
          chooseSecond()
        }}
      >
        Choose its files…
      </button>{' '}
      <button type="button" className="button small" onClick={go}>
        Drop it in Compare
      </button>{' '}
      <button type="button" className="icon-button" aria-label="Stay here" onClick={onForget}>
        ✕
      </button>
    </p>
  )
}

const VIEW_WORDS = {
  verdicts: 'the verdicts',
  rollouts: 'the table of rollouts',
  rollout: 'a rollout',
  groups: 'the groups',
  lab: 'the lab',
  compare: 'Compare',
  notebook: 'the notebook',
} as const

/** Letters of an id that a line has room for beside its other words. */
const MOST_OF_ID = 48

/** What a rollout is called by everything else; null until it is known, or has been read. */
function useIdOf(rollout: number | null): string | null {
  const isRead = useFiles((files) => rollout !== null && rollout < files.rollouts)
  const [id, setId] = useState<string | null>(null)
  useEffect(() => {
    setId(null)
    let isWanted = true
    if (rollout !== null && isRead) void factsOf(rollout).then((facts) => isWanted && setId(facts?.id ?? null))
    return () => {
      isWanted = false
    }
  }, [rollout, isRead])
  return id
}

function wordsOf({ view, rollout, tokens, query }: Address, id: string | null): string {
  if (view === 'rollout' && rollout !== null) {
    const called = id === null ? 'a rollout' : `rollout ${shownId(id, MOST_OF_ID)}`
    return tokens === null ? called : `token ${tokens[0]} of ${called}`
  }
  return view === 'rollouts' && query !== '' ? `the rollouts with ${clipped(spelt(query), 80)}` : VIEW_WORDS[view]
}
