import { bytesBeside, fillWith } from '../../containers/kernel/numbers.ts'
import type { PolicyId } from '../../model/policy.ts'
import { Expected, Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import { sampledSpan, writtenTurns } from './edges.ts'
import type { AnsweredInside } from './prompt-end.ts'

export interface StructureOracleInput {
  readonly segmentation: Segmentation
  readonly policy: PolicyId
  /** A person declared it; else a format documents it, of its own last turn, whoever's that is. */
  readonly isDeclared: boolean
  readonly provenance: Uint8Array | null
  /** Token before which the prompt ends, where the dump says so: assistant turns before it were not written in this rollout. */
  readonly promptEnd: number | null
  /** The turn of the prompt that the model's first answer begins in; null where there is none. */
  readonly answered: AnsweredInside | null
  /** The environment stops the model on a string, so that end tokens may have been appended. */
  readonly stopsOnString: boolean
  /** The end token may as well be the one pad of a cut row: both have the same id, and it is the row's last token. */
  endMayBePadding(turn: Turn): boolean
  /** The logprobs say that another wrote the end token, which the mask leaves out. */
  isAppendedEnd(turn: Turn): boolean
  /** Number of tokens of an opening think tag (and its newline) at the start of a turn's content, 0 without one. */
  openThink(turn: Turn): number
  /** The model wrote the block between a turn's header and its content as likely as not, where the dump does not say who did. */
  isOwnBlock(turn: Turn): boolean
  /** The token spells white space only. */
  isBlank(token: number): boolean
}

/**
 * What a correct mask would be, from the turns alone: one `Expected` per token.
 *
 * Trained is what was sampled: in each assistant turn everything after header and template prefill, through the end token.
 * Everything else is masked. Undecided is what ids cannot tell: a think tag directly after the header may be the template's or
 * the model's; an end token may have been appended by an environment that stops on a string; an assistant turn inside the
 * prompt may be an example; the empty lines around a spliced reply may be the environment's. Provenance decides where it speaks.
 */
export function structureOracle(input: StructureOracleInput): Uint8Array {
  const { segmentation, policy, provenance } = input
  const expected = bytesBeside(segmentation.parts, segmentation.parts.length)
  const written = writtenTurns(segmentation)
  const last = written.at(-1)
  // In a dump that holds the same number on tokens that nobody sampled, ends that all have it were appended as likely as not.
  const endsAreSilent =
    provenance?.includes(Provenance.sampled) &&
    written.every(({ endToken }) => provenance[endToken] !== Provenance.sampled)
  for (const turn of segmentation.turns) {
    // Whoever wrote the words closed them.
    if (turn.kind === 'other') expected.fill(Expected.undecided, turn.contentStart, sampledSpan(turn).end)
    if (turn.kind !== 'assistant' || (policy === 'last-turn' && turn !== last)) continue
    expectTurn(turn, input, expected)
    if (endsAreSilent && provenance?.[turn.endToken] === Provenance.silent) expected[turn.endToken] = Expected.undecided
    // LLaMA-Factory trains the template's newline behind a turn, axolotl and TRL do not: supervised data is right either way.
    if (policy === 'sft') expected.fill(Expected.undecided, turn.separatorStart, turn.end)
  }
  if (input.answered !== null) expectAnswer(input.answered, provenance, expected)
  if (policy === 'last-turn' && !input.isDeclared && last !== undefined && isAnswered(last, segmentation))
    expected.fill(Expected.undecided, last.start, last.end)
  expected.fill(Expected.masked, 0, segmentation.padding.left)
  expected.fill(Expected.masked, expected.length - segmentation.padding.right)
  if (provenance !== null) {
    for (let i = expected.indexOf(Expected.undecided); i >= 0; i = expected.indexOf(Expected.undecided, i + 1)) {
      if (provenance[i] === Provenance.sampled) expected[i] = Expected.trained
    }
  }
  return expected
}

/** Somebody else's words follow. What trains the last turn of a conversation then has none of the model's, and may train the last of these or nothing. */
export function isAnswered(turn: Turn, { turns }: Segmentation): boolean {
  return turns.some(
    ({ start, kind, contentStart, contentEnd }) =>
      start >= turn.end && kind !== 'assistant' && contentEnd > contentStart,
  )
}

/** Words of the model are its own where their header was cut away with the end of the prompt, and nothing says that they are not. */
function expectAnswer({ at, end }: AnsweredInside, provenance: Uint8Array | null, expected: Uint8Array): void {
  for (let i = at; i < end; i++)
    expected[i] = provenance?.[i] === Provenance.notSampled ? Expected.undecided : Expected.trained
}

function expectTurn(turn: Turn, input: StructureOracleInput, expected: Uint8Array): void {
  const { provenance, promptEnd } = input
  const { contentStart, contentEnd, endToken, headerEnd } = turn
  const history = promptEnd !== null && turn.end <= promptEnd && contentEnd > contentStart
  fillWith(expected, history ? Expected.undecided : Expected.trained, contentStart, contentEnd)
  expected.fill(Expected.undecided, contentStart, contentStart + input.openThink(turn))
  // Words with which the prompt begins a turn for the model were not sampled, if the stored length is right.
  if (promptEnd !== null)
    expected.fill(Expected.undecided, contentStart, Math.min(Math.max(promptEnd, contentStart), contentEnd))
  for (const { part, start, end } of turn.spans) {
    if (part !== 'tool') continue
    expected.fill(Expected.masked, start, end)
    for (let i = start - 1; i > contentStart && input.isBlank(i); i--) expected[i] = Expected.undecided
    for (let i = end; i < contentEnd && input.isBlank(i); i++) expected[i] = Expected.undecided
  }
  const spliced = turn.spans.some(({ part }) => part === 'tool')
  if (endToken >= 0) {
    expected[endToken] =
      history || spliced || input.stopsOnString || input.endMayBePadding(turn) || input.isAppendedEnd(turn)
        ? Expected.undecided
        : Expected.trained
  }
  const ofBlock = headerEnd < contentStart && input.isOwnBlock(turn) ? Expected.undecided : Expected.masked
  if (provenance === null) {
    expected.fill(ofBlock, headerEnd, contentStart)
    return
  }
  for (let i = headerEnd; i < contentStart; i++) {
    if (provenance[i] === Provenance.sampled) expected[i] = Expected.trained
    else if (provenance[i] === Provenance.silent) expected[i] = ofBlock
  }
  for (let i = contentStart; i < contentEnd; i++) {
    if (expected[i] === Expected.trained && provenance[i] === Provenance.notSampled) expected[i] = Expected.undecided
  }
  if (endToken >= 0 && provenance[endToken] === Provenance.notSampled) expected[endToken] = Expected.masked
}
