import { clipped } from '../../shared/model/clipped.ts'
import { counted } from '../../shared/model/number-text.ts'
import { chooseSecond } from '../data/opening.ts'
import type { Address } from '../state/address.ts'
import { useResume } from '../state/resume.ts'
import { useSecond } from '../state/second.ts'
import { spelt } from '../text/visible.ts'
import { applyAddress } from './keep-address.ts'

/** Offers to go on where the dump was left the last time. */
export function ResumeLine() {
  const { address, beside, grownBy } = useResume()
  const hasSecond = useSecond((state) => state.chosen !== null)
  if (address === null) return null
  const forget = () => useResume.setState({ address: null })
  const needsSecond = (address.view === 'compare' && beside !== null) || address.second !== null
  if (needsSecond && !hasSecond) return <CompareAgain address={address} beside={beside} onForget={forget} />
  return (
    <p className="resume-line" role="status">
      You were at {wordsOf(address)} when this dump was closed{grownBy !== null && grownWords(grownBy)}.{' '}
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

function wordsOf({ view, rollout, tokens, query }: Address): string {
  if (view === 'rollout' && rollout !== null) {
    return tokens === null ? `rollout ${rollout}` : `token ${tokens[0]} of rollout ${rollout}`
  }
  return view === 'rollouts' && query !== '' ? `the rollouts with ${clipped(spelt(query), 80)}` : VIEW_WORDS[view]
}
