import type { TrajectoryFacts } from '../../../shared/checks/facts/facts.ts'
import { END_WORDS } from '../../../shared/checks/texts/end-words.ts'
import type { Row } from '../../../shared/session/protocol.ts'
import { LongId } from '../../app/long-id.tsx'
import { count, decimalsOf, inDecimals, percentOfColumn, real } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { type Column, codeLetters, codesThatFit } from './column.ts'
import { FlagCell, LabelsCell, labelLetters, NotesCell } from './mark-cells.tsx'
import { MaskStrip } from './mask-strip.tsx'
import { SOURCE_COLUMN } from './source-column.tsx'

type Given = Pick<Column, 'key' | 'title' | 'means' | 'cell'> & Partial<Column>

function words(given: Given): Column {
  return { rem: 5, grows: 0.7, sort: null, isNumber: false, needs: null, ...given }
}

/** `of`: null and undefined are absent. */
function number(
  given: Omit<Given, 'cell'> & { of(facts: TrajectoryFacts): number | null | undefined; draw?(value: number): string },
): Column {
  const { of, draw = real, ...rest } = given
  return {
    ...(given.draw === undefined ? ofReals(of) : ofDrawn(of, draw)),
    grows: 0,
    sort: null,
    isNumber: true,
    needs: null,
    ...rest,
    cell: ({ facts }) => {
      const value = of(facts)
      return value === null || value === undefined ? null : draw(value)
    },
  }
}

/** Wide enough for a digit and four behind the point; of longer numbers, and behind a sign, wider. */
function ofReals(of: (facts: TrajectoryFacts) => number | null | undefined) {
  return {
    real: ({ facts }: Row) => of(facts) ?? null,
    letters: ({ facts }: Row) => codeLetters(inDecimals(of(facts), decimalsOf([of(facts)]))),
    rem: 4.6,
  }
}

function ofDrawn(of: (facts: TrajectoryFacts) => number | null | undefined, draw: (value: number) => string) {
  return {
    letters: ({ facts }: Row) => {
      const value = of(facts)
      return value === null || value === undefined ? 0 : codeLetters(draw(value))
    },
    rem: 4.6,
  }
}

/** A dump of messages alone has no length in tokens, not even that of nothing. */
export function hasIds(facts: TrajectoryFacts): boolean {
  return facts.idsHash !== null || facts.length > 0
}

/** Letters by which ids such as `q601-0-rep000-3f2a9c44-77b1-4c0e-9d51-aa`, and the groups of such, are told apart: a beginning, and six of the end. */
const ID_APART = 22
const GROUP_APART = 18

/** Columns that every dump has, in the order in which they are offered. */
export const COLUMNS: readonly Column[] = [
  {
    key: 'index',
    title: '#',
    means: 'Place in the order in which the files were read, from 0.',
    rem: 4.2,
    grows: 0,
    sort: 'index',
    isNumber: true,
    needs: null,
    letters: ({ index }) => codeLetters(count(index)),
    cell: (row) => count(row.index),
  },
  words({
    key: 'flag',
    title: '⚑',
    means: 'Flag, set with f.',
    rem: 2.7,
    grows: 0,
    sort: 'flag',
    cell: (row) => <FlagCell row={row} />,
  }),
  words({
    key: 'id',
    title: 'id',
    means: 'The rollout’s own id.',
    rem: 6,
    letters: ({ facts }) => facts.id.length,
    apart: ID_APART,
    grows: 1.2,
    sort: 'id',
    cell: ({ facts }) => <LongId id={facts.id} />,
  }),
  words({
    key: 'group',
    title: 'group',
    means: 'The prompt that the rollout belongs to.',
    rem: 4,
    letters: ({ facts }) => facts.group?.length ?? 0,
    apart: GROUP_APART,
    sort: 'group',
    needs: 'group',
    cell: ({ facts }) => (facts.group === null ? null : <LongId id={facts.group} />),
  }),
  number({
    key: 'step',
    draw: real,
    title: 'step',
    means: 'Training step.',
    rem: 3.6,
    sort: 'step',
    needs: 'step',
    of: (facts) => facts.step,
  }),
  SOURCE_COLUMN,
  number({
    key: 'reward',
    title: 'reward',
    means: 'Reward of the rollout.',
    sort: 'reward',
    needs: 'rewards',
    of: (facts) => facts.reward,
  }),
  number({
    key: 'advantage',
    title: 'advantage',
    means: 'The one advantage of the rollout; none where its tokens differ.',
    rem: 5.6,
    sort: 'advantage',
    needs: 'advantages',
    of: (facts) => facts.advantage,
  }),
  number({
    key: 'tokens',
    title: 'tokens',
    means: 'Length of the sequence, padding left out.',
    sort: 'tokens',
    needs: 'ids',
    draw: count,
    of: (facts) => (hasIds(facts) ? facts.realLength : null),
  }),
  number({
    key: 'prompt',
    title: 'prompt',
    means: 'Tokens of the prompt, as far as the dump tells.',
    sort: 'prompt',
    draw: count,
    of: ({ promptLength }) => (promptLength === null || promptLength < 0 ? null : promptLength),
  }),
  number({
    key: 'completion',
    title: 'completion',
    means: 'Tokens after the prompt, padding left out: the environment’s as well as the model’s.',
    rem: 5.8,
    sort: 'completion',
    draw: count,
    of: (facts) => (facts.promptLength === null || !hasIds(facts) ? null : facts.realLength - facts.promptLength),
  }),
  number({
    key: 'trained',
    title: 'trained',
    means: 'Share of the tokens that carry loss, padding left out.',
    rem: 5,
    sort: 'trained',
    needs: 'mask',
    draw: percentOfColumn,
    of: ({ trained, realLength }) => (trained === null || realLength === 0 ? null : trained / realLength),
  }),
  number({
    key: 'trainedTokens',
    title: 'trained tokens',
    means: 'Tokens that carry loss.',
    rem: 7.4,
    sort: 'trainedTokens',
    needs: 'mask',
    draw: count,
    of: (facts) => facts.trained,
  }),
  words({
    key: 'mask',
    title: 'mask',
    means: 'The rollout from its first token to its last: tall is trained, low is masked.',
    rem: 5.2,
    grows: 1.2,
    needs: 'ids',
    cell: ({ facts }) => (facts.strip.length === 0 ? null : <MaskStrip strip={facts.strip} />),
  }),
  number({
    key: 'turns',
    title: 'turns',
    means: 'Turns, those of the system, the user and tools included.',
    rem: 3.8,
    sort: 'turns',
    draw: count,
    of: (facts) => facts.turns || null,
  }),
  words({
    key: 'end',
    title: 'end',
    means: 'How the rollout ended, as its ids tell.',
    rem: 8,
    grows: 0,
    // Words in small letters are narrower than codes and ids.
    letters: ({ facts }) => endWords(facts).length * 0.89,
    sort: 'end',
    cell: ({ facts }) => <End facts={facts} />,
  }),
  number({
    key: 'lost',
    title: 'lost',
    means: 'Tokens that are known to be lost: they were cut away before the model or the loss saw them.',
    sort: 'lost',
    draw: count,
    of: (facts) => facts.lost,
  }),
  words({
    key: 'findings',
    title: 'findings',
    means: 'Codes of the faults in it or in its group, those that the policy intends left out.',
    rem: 9,
    grows: 3,
    // The glyph before them takes two more.
    letters: ({ codes }) => Math.ceil(codeLetters(codes.join(' '))) + GLYPH_LETTERS,
    sort: 'findings',
    cell: (row, _, letters) => <Codes row={row} letters={letters} />,
  }),
  words({
    key: 'worst',
    title: 'worst',
    means: 'How grave the gravest fault is.',
    rem: 5.4,
    grows: 0,
    sort: 'worst',
    cell: ({ worst }) => (worst === null ? <span className="quiet">none</span> : <Severity worst={worst} />),
  }),
  number({
    key: 'gap',
    title: 'gap',
    means: 'Mean distance of the sampler’s and the trainer’s logprobs over the trained tokens, in nats.',
    rem: 5,
    sort: 'gap',
    needs: 'logprobs.trainer',
    of: ({ gap }) => (gap === undefined ? null : gap.absolute / gap.count),
  }),
  number({
    key: 'kl',
    title: 'KL',
    means: 'Mean of the k3 estimate from the trainer’s and the reference’s logprobs over the trained tokens, in nats.',
    rem: 5,
    sort: 'kl',
    needs: 'logprobs.reference',
    of: ({ kl }) => (kl === undefined ? null : (kl.formulas[2] as number) / kl.count),
  }),
  words({
    key: 'labels',
    yields: true,
    title: 'labels',
    means: 'Labels, given with t.',
    rem: 4.6,
    grows: 0.8,
    letters: ({ facts }) => labelLetters(facts),
    sort: 'labels',
    cell: (row) => <LabelsCell row={row} />,
  }),
  words({
    key: 'notes',
    yields: true,
    title: 'notes',
    means: 'Notes on the rollout and on spans of its tokens, written with N.',
    rem: 4.6,
    grows: 0.8,
    sort: 'notes',
    cell: (row) => <NotesCell row={row} />,
  }),
]

/** The glyph before codes, and the space behind it. */
const GLYPH_LETTERS = 2

const REWARD = 'reward.'

/** The column of one component of the reward. */
export function rewardColumn(name: string): Column {
  return number({
    key: `${REWARD}${name}`,
    title: spelt(name),
    means: `Component “${spelt(name)}” of the reward.`,
    rem: Math.max(4.6, Math.min(12, name.length * 0.55 + 2)),
    sort: `${REWARD}${name}`,
    needs: 'reward_components',
    of: ({ rewards }) => (rewards !== null && Object.hasOwn(rewards, name) ? rewards[name] : null),
  })
}

const BY_KEY = new Map(COLUMNS.map((column) => [column.key, column]))

/** The columns of these keys; what no column has any more, or not in this dump, is left out. */
export function columnsOf(keys: readonly string[], rewards: readonly string[]): readonly Column[] {
  const found = keys.flatMap((key) => {
    const fixed = BY_KEY.get(key)
    if (fixed !== undefined) return [fixed]
    const name = key.startsWith(REWARD) ? key.slice(REWARD.length) : null
    return name !== null && rewards.includes(name) ? [rewardColumn(name)] : []
  })
  return found.length === 0 ? COLUMNS.slice(0, 1) : found
}

function isCut({ endReason }: TrajectoryFacts): boolean {
  return endReason.startsWith('cut')
}

function endWords(facts: TrajectoryFacts): string {
  return `${isCut(facts) ? '✂ ' : ''}${END_WORDS[facts.endReason]}`
}

function End({ facts }: { facts: TrajectoryFacts }) {
  if (!isCut(facts)) return <>{END_WORDS[facts.endReason]}</>
  return (
    <>
      <span aria-hidden="true">✂</span> {END_WORDS[facts.endReason]}
    </>
  )
}

function Severity({ worst }: { worst: NonNullable<Row['worst']> }) {
  const { glyph, name } = SEVERITY_WORDS[worst]
  return (
    <>
      <span className={`severity ${worst}`} aria-hidden="true">
        {glyph}
      </span>{' '}
      {name}
    </>
  )
}

/** As many codes as there is room for, and how many more there are: none is cut in the middle. */
function Codes({ row, letters }: { readonly row: Row; readonly letters: number }) {
  if (row.worst === null) return <span className="quiet">none</span>
  const { glyph, name } = SEVERITY_WORDS[row.worst]
  const fitting = codesThatFit(row.codes, letters - GLYPH_LETTERS)
  const more = row.codes.length - fitting
  return (
    <span title={row.codes.join(', ')}>
      <span className={`severity ${row.worst}`} aria-hidden="true">
        {glyph}
      </span>
      <span className="visually-hidden">worst: {name}.</span> {row.codes.slice(0, fitting).join(' ')}
      {more > 0 && (
        <>
          {' '}
          <span className="quiet" aria-hidden="true">
            +{more}
          </span>
          <span className="visually-hidden">{row.codes.slice(fitting).join(' ')}</span>
        </>
      )}
    </span>
  )
}
