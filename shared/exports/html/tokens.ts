import { count, counted, percent } from '../../model/number-text.ts'
import { TOKEN_STATE_NAMES } from '../../model/tokens.ts'
import type { MemberFacts } from '../proofs.ts'
import type { Stretch, TokenWindow, TurnCount, TurnLabel } from '../token-window.ts'
import { code, table, text } from './parts.ts'

/** Characters of one token; the longest in use are rows of spaces and long words. */
const TOKEN_CHARACTERS = 24

/** The tokens, in runs of one state: `<i title=151645>` each, so that a thousand windows stay small. */
export function windowHtml({ stretches, length }: TokenWindow): string {
  const html: string[] = []
  let shown = 0
  for (const stretch of stretches) {
    if (stretch.start > shown) {
      const left = stretch.start - shown
      html.push(shown === 0 ? `<small>${counted(left, 'token')} before</small>` : gapHtml(left))
    }
    html.push(stretchHtml(stretch))
    shown = stretch.start + stretch.ids.length
  }
  html.push(`<small>${shown < length ? `${counted(length - shown, 'token')} after` : 'end of the sequence'}</small>`)
  return `<p class=w>${html.join('')}</p>`
}

function gapHtml(tokens: number): string {
  return `<b class=gap>… ${counted(tokens, 'token')} between …</b>`
}

function stretchHtml({ start, ids, texts, states, marked, contrary, special, turns }: Stretch): string {
  const html: string[] = []
  let open = ''
  let isMarked = false
  const close = () => {
    if (open !== '') html.push('</span>')
    open = ''
  }
  for (let at = 0; at < ids.length; at++) {
    const begun = turns.find((turn) => turn.at === start + at)
    const mark = marked[at] === 1
    const run = `${TOKEN_STATE_NAMES[states[at] ?? 0]?.[0] ?? 'u'}${contrary[at] === 1 ? ' x' : ''}`
    if (begun !== undefined || mark !== isMarked || run !== open) close()
    if (mark !== isMarked) html.push(mark ? '<mark>' : '</mark>')
    isMarked = mark
    if (begun !== undefined) html.push(labelHtml(begun.turn))
    if (open === '') {
      html.push(`<span class=${run.includes(' ') ? `"${run}"` : run}>`)
      open = run
    }
    html.push(`<i${special[at] === 1 ? ' class=s' : ''} title=${ids[at]}>${tokenText(texts[at] ?? '')}</i>`)
  }
  close()
  if (isMarked) html.push('</mark>')
  return html.join('')
}

function labelHtml(turn: TurnLabel): string {
  return `<b class=turn>${text(turnName(turn), 40)}</b>`
}

/** `turn 3 · tool`, `turn 4 · assistant 2`; a tool's reply inside a user turn is told as what it is. */
function turnName({ index, role, kind, ordinal }: TurnLabel): string {
  const name = kind === role || kind === 'other' ? role : `${kind} (${role})`
  return `turn ${index} · ${name}${kind === 'assistant' ? ` ${ordinal}` : ''}`
}

/** Whitespace and control characters as signs; a token of spaces alone would not be seen. */
function tokenText(value: string): string {
  const shown = value.replaceAll('\n', '⏎').replaceAll('\t', '⇥')
  return text(/^ +$/.test(shown) ? '␣'.repeat(shown.length) : shown, TOKEN_CHARACTERS)
}

export function outlineHtml(turns: readonly TurnCount[]): string {
  const rows = turns.map((turn) => [
    text(turnName(turn), 60),
    count(turn.tokens),
    `${count(turn.trained)} (${percent(turn.tokens === 0 ? 0 : turn.trained / turn.tokens)})`,
  ])
  return table(
    'Turns of the rollout',
    [{ title: 'turn' }, { title: 'tokens', number: true }, { title: 'trained', number: true }],
    rows,
  )
}

export function membersHtml(members: readonly MemberFacts[]): string {
  const value = (number: number | null) => (number === null ? '–' : String(Number(number.toPrecision(6))))
  const rows = members.map(({ trajectory, reward, advantage, tokens, trained }) => [
    code(trajectory, 80),
    value(reward),
    value(advantage),
    count(tokens),
    trained === null ? '–' : count(trained),
  ])
  const columns = ['reward', 'advantage', 'tokens', 'trained'].map((title) => ({ title, number: true }))
  return table('Rollouts of the group', [{ title: 'rollout' }, ...columns], rows)
}
