import { ADVANTAGE_SCHEMES } from '../../../shared/checks/groups/advantages.ts'
import { SCHEME_FORMULAS } from '../../../shared/checks/groups/scheme-formulas.ts'
import { SCHEME_NAMES } from '../../../shared/checks/groups/scheme-words.ts'
import { GROUP_KINDS, GROUP_MARKS } from '../../../shared/session/requests/groups.ts'
import { COLUMN_WORDS, KIND_WORDS, MARK_WORDS } from './group-words.ts'

/** What the words and signs of this view mean, to be unfolded where one is not known. */
export function GroupWords() {
  const signs = [...GROUP_KINDS.map((kind) => KIND_WORDS[kind]), ...GROUP_MARKS.map((mark) => MARK_WORDS[mark])]
  return (
    <details className="group-legend">
      <summary>What the words mean</summary>
      <dl>
        {signs.map(({ glyph, name, what }) => (
          <div key={name}>
            <dt>
              <span aria-hidden="true">{glyph}</span> {name}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        {ADVANTAGE_SCHEMES.map((scheme) => (
          <div key={scheme}>
            <dt>{SCHEME_NAMES[scheme]}</dt>
            <dd>advantage = {SCHEME_FORMULAS[scheme]}</dd>
          </div>
        ))}
        {Object.values(COLUMN_WORDS).map(({ name, what }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
