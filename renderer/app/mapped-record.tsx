import type { MappedRollout } from '../../shared/session/protocol.ts'
import { inApp } from '../text/app-words.ts'
import { count, percent } from '../text/numbers.ts'
import { pieces, spelt } from '../text/visible.ts'

/** The first rollout that a mapping reads, by which a person sees whether it is right. */
export function MappedRecord(props: {
  readonly first: MappedRollout | null
  readonly problems: readonly string[]
  readonly isAsking: boolean
}) {
  const { first, problems, isAsking } = props
  return (
    <section className="mapped-record" aria-label="The first record, mapped" aria-busy={isAsking}>
      <h3>The first record, mapped</h3>
      {problems.map((problem) => (
        <p key={problem} className={first === null ? 'error-text' : 'warn-text'}>
          {first === null ? '✖' : '▲'} {spelt(inApp(problem))}
        </p>
      ))}
      {first === null ? (
        problems.length === 0 && <p className="quiet">Choose at least the token ids or the messages.</p>
      ) : (
        <>
          <dl className="pairs">
            {factsOf(first).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {first.excerpts.map(({ from, tokens }) => (
            <Excerpt key={from} from={from} tokens={tokens} />
          ))}
        </>
      )}
    </section>
  )
}

function factsOf(first: MappedRollout): (readonly [name: string, value: string])[] {
  const { tokens, trained, messages, reward, group, step, tokenizer } = first
  const share = tokens !== null && trained !== null && tokens > 0 ? ` (${percent(trained / tokens)})` : ''
  const facts: [string, string | null][] = [
    ['tokens', tokens === null ? 'none' : count(tokens)],
    ['trained', trained === null ? 'no mask' : `${count(trained)}${share}`],
    ['tokenizer', tokens === null ? null : spelt(tokenizer ?? 'none fits')],
    ['messages', messages === null ? null : count(messages)],
    ['reward', reward === null ? null : String(reward)],
    ['group', group === null ? null : spelt(group)],
    ['step', step === null ? null : String(step)],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

/** Always text, whatever it spells; what cannot be seen is drawn as a mark. */
function TokenText({ text }: { text: string }) {
  return pieces(text).map(({ kind, text: piece }, position) =>
    kind === 'mark' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <span key={position} className="mapped-mark">
        {piece}
      </span>
    ) : (
      piece
    ),
  )
}

/** Some tokens before the first that is trained are shown with it. */
function trainingAt(from: number, tokens: MappedRollout['excerpts'][number]['tokens']): string {
  const at = tokens.findIndex(({ trained }) => trained)
  return at < 0 ? '' : at === 0 ? ', where training begins' : `; training begins at token ${count(from + at)}`
}

function Excerpt({ from, tokens }: MappedRollout['excerpts'][number]) {
  return (
    <figure>
      <figcaption className="quiet">
        {from === 0 ? 'Its first tokens' : `From token ${count(from)}${trainingAt(from, tokens)}`}
      </figcaption>
      <p className="mapped-tokens">
        {tokens.map(({ id, text, trained }, position) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a token is its position
            key={position}
            className={trained ? 'mapped-token trained' : 'mapped-token'}
            title={`token ${from + position}, id ${id}, ${trained ? 'trained' : 'not trained'}`}
          >
            {text === null ? `${id} ` : text === '' ? '◂' : <TokenText text={text} />}
          </span>
        ))}
      </p>
    </figure>
  )
}
