import type { Address } from '../state/address.ts'
import { useResume } from '../state/resume.ts'
import { spelt } from '../text/visible.ts'
import { applyAddress } from './keep-address.ts'

/** Offers to go on where the dump was left the last time. */
export function ResumeLine() {
  const address = useResume((state) => state.address)
  if (address === null) return null
  const forget = () => useResume.setState({ address: null })
  return (
    <p className="resume-line" role="status">
      You were at {wordsOf(address)} when this dump was closed.{' '}
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

const VIEW_WORDS = {
  verdicts: 'the verdicts',
  rollouts: 'the table of rollouts',
  rollout: 'a rollout',
  groups: 'the groups',
  lab: 'the lab',
  compare: 'the comparison',
  notebook: 'the notebook',
} as const

function wordsOf({ view, rollout, tokens, query }: Address): string {
  if (view === 'rollout' && rollout !== null) {
    return tokens === null ? `rollout ${rollout}` : `token ${tokens[0]} of rollout ${rollout}`
  }
  return view === 'rollouts' && query !== '' ? `the rollouts with ${spelt(query).slice(0, 80)}` : VIEW_WORDS[view]
}
