import { describe, expect, it } from 'vitest'

/**
 * A number by which something is judged stands in the registry, where it has a reason and can be set. What may stand in the code is what
 * judges nothing: bounds of cost, what evidence shows, bytes, bins, and properties of a template. Each says here why it is one of these.
 */
const STRUCTURAL: Readonly<Record<string, string>> = {
  'checks/oracles/alignment.ts FURTHEST_LAG': 'shifts that are tried',
  'checks/oracles/alignment.ts LARGEST_LAG': 'shifts that are tried; the report lists the score of each',
  'checks/grouping/answer-contrast.ts MOST_PARTS': 'bound of cost',
  'checks/oracles/appended-ends.ts LEAST_ZEROS': 'of so many one is the least by chance in less than one of twenty',
  'checks/oracles/own-logprobs.ts LEAST_ZEROS':
    'an engine that scores a prompt is not certain of as many tokens of it in a row',
  'checks/facts/batch-facts.ts NEVER_PACKED': 'bound of cost',
  'checks/facts/batch-facts.ts PACKED_AT_ONCE': 'bound of cost',
  'checks/facts/create-facts.ts SHOWN_TOKENS': 'what evidence shows',
  'checks/grouping/counted-keys.ts FEWEST_TOLD': 'three may agree by chance, of rewards that are 0 and 1',
  'checks/grouping/counted-keys.ts ROUNDING': 'what 32-bit and 16-bit floats leave of a difference',
  'checks/texts/encoded.ts LONGEST': 'bound of cost',
  'checks/grouping/environment.ts LONGEST_WORD': 'how a name is read: one word, or a sentence of joined ones',
  'checks/reporting/examples.ts DIFFERENT_RESTS': 'whether there are different ones takes two',
  'checks/reporting/examples.ts FEWEST_TORN': 'one and two may be tasks and no groups; more than two takes three',
  'checks/reporting/examples.ts MOST_TORN': 'bound of memory',
  'checks/reporting/examples.ts FEWEST_OF_ONE_PROMPT':
    'chance alone does not make so many samples alike; whether it holds of the dump is `convention-share`',
  'checks/facts/fact-columns.ts ROWS_OF_A_PART': 'bound of cost',
  'checks/oracles/nameless-turns.ts MOST_HEADER_TOKENS': 'property of templates',
  'checks/facts/loose-values.ts MOST_KEPT': 'bound of memory',
  'checks/facts/facts.ts PREFIX_TOKENS': 'lengths that are measured; whether one is long is `shared-prefix-tokens`',
  'checks/grouping/again-in-step.ts ROUNDING': 'digits that are stored',
  'checks/groups/advantages.ts ADVANTAGE_EPS_CANDIDATES': 'formulas that are tried',
  'checks/groups/advantages.ts DEFAULT_ADVANTAGE_EPS': 'the formula of two trainers; `--advantage-eps` sets it',
  'checks/groups/advantages.ts FIT_GROUPS': 'bound of cost',
  'checks/grouping/group-size-by-questions.ts ROUNDING': 'what float16 leaves of numbers that are the same',
  'checks/groups/advantages-alone.ts ALIKE': 'what float32 leaves of numbers that are the same',
  'checks/groups/advantages-alone.ts FEWEST_NORMALISED':
    'of fewer groups each may have the std 1 by chance, or as a batch of them has',
  'checks/groups/advantages-alone.ts FEWEST_ROLLOUTS': 'one or two others have one advantage under several formulas',
  'checks/groups/advantages.ts GROUPS_OF_A_STEP': 'how often others get a turn',
  'checks/groups/beyond-all.ts LEAST_WITHIN': 'a constant that multiplies all is told from an explosion',
  'checks/groups/beyond-all.ts BEYOND_ALL':
    'times over the bounds of all formulas together; a declared scaling gives a bound of its own',
  'checks/groups/advantages.ts ROUNDING': 'what float64 leaves of a difference',
  'checks/groups/floored.ts DIGITS': 'what stored digits leave of a quotient',
  'checks/groups/floored.ts FEW_GROUPS': 'bound of cost',
  'checks/groups/floored.ts FLOORS_TRIED': 'bound of cost',
  'checks/groups/floored.ts LEAST_ABOVE':
    'one group with a std of its own shows no std that divides, for one constant may',
  'checks/groups/level-groups.ts DIGITS': 'rewards that are the same in float32 get one key',
  'checks/groups/pooled.ts MOST_COMPARED': 'bound of cost',
  'checks/groups/pooled.ts NEIGHBOURS': 'bound of cost',
  'checks/groups/rows-of-rollout.ts FEWEST_TURNED':
    'three rollouts have the same signs by chance, of turns that are right or wrong',
  'checks/groups/statistics.ts MOST_SIZES': 'what a sentence lists',
  'checks/grouping/own-sizes.ts FEWEST_TOLD':
    'three may have advantages of their own mean by chance, of rewards that are 0 and 1',
  'checks/grouping/own-sizes.ts DENYING_OF': 'a group that is faulty says nothing of how large the others are',
  'checks/grouping/own-sizes.ts ROUNDING': 'what 16-bit floats leave of a number',
  'checks/grouping/own-sizes.ts LEVEL': 'what 32-bit floats leave of a difference',
  'checks/groups/turned-around.ts FEWEST_REWARDS': 'two that differ have one of two orders, as a coin has',
  'checks/groups/turned-around.ts MOST_ROLLOUTS': 'bound of cost',
  'checks/groups/turned-around.ts FEWEST_ROLLOUTS':
    'of three that are right or wrong one in three has the wrong one ahead',
  'checks/groups/other-grouping.ts FEWEST':
    'two rewards that differ give every formula the same advantages but for a factor',
  'checks/groups/windows.ts ROUNDING': 'what float64 leaves of a difference',
  'checks/groups/reward-scales.ts GROUPS_OF_AN_ENVIRONMENT':
    'how a name is read: of a question, asked again in each epoch, or of an environment',
  'checks/groups/reward-scales.ts BESIDE_AN_OUTLIER': 'of fewer groups nothing tells which is the one apart',
  'checks/groups/reward-scales.ts ROLLOUTS_OF_A_LEVEL':
    'a dump of so few rollouts has few rewards whatever they are, and tells nothing of levels',
  'checks/groups/copies.ts FEWEST': 'all but one of three are two, which is no more than a pair',
  'checks/groups/least-squares.ts COLLINEAR': 'what float64 leaves of a difference',
  'checks/groups/length-bias.ts MOST_LISTED': 'what evidence shows',
  'checks/groups/components.ts LARGEST_SQUARED': 'what float64 can square',
  'checks/groups/least-squares.ts PART_OF': 'what float64 leaves of a difference',
  'checks/groups/by-component.ts EVIDENCE': 'numbers to each unknown, so that a sum gives them by no chance',
  'checks/groups/by-component.ts MOST_COMPONENTS': 'bound of cost',
  'checks/groups/by-component.ts MOST_GROUPS': 'bound of cost',
  'checks/groups/by-component.ts TURNS': 'steps of an approximation',
  'checks/groups/reshaped.ts MOVED': 'terms of a propagated error',
  'checks/groups/reshaped.ts UNDIVIDED': 'a scale that leaves what it divides as it is',
  'checks/groups/reward-digits.ts BFLOAT16_BITS': 'a format of numbers',
  'checks/groups/reward-digits.ts DECIMALS': 'what is tried; the rewards decide',
  'checks/groups/reward-digits.ts FEWEST_VALUES': 'marks that a scale may have; more are numbers',
  'checks/groups/reward-digits.ts ROUNDING': 'what float32 leaves of a fraction',
  'checks/groups/statistics.ts LARGEST_SQUARED': 'what float64 can square',
  'checks/facts/kept-facts.ts FEWEST': 'bound of cost',
  'checks/facts/kept-facts.ts MOST_OF_A_LEVEL': 'bound of cost',
  'checks/facts/kept-facts.ts MOST_SHARED': 'bound of memory',
  'checks/facts/kept-facts.ts ROWS_OF_A_TABLE': 'bound of cost',
  'checks/texts/kept-texts.ts LONGEST': 'bound of memory',
  'checks/truncation/missing-part.ts TOLD_BY': 'how much of a text tells it from others',
  'checks/layout/positions.ts STANDING_TOKENS': 'what no document and no padding has',
  'checks/layout/unfit-arrays.ts NAMED_VALUES': 'what evidence shows',
  'checks/limits/limits.ts MOST_VALUES': 'what a report lists; each rollout is judged by its own',
  'checks/limits/pile-up.ts ENDS': 'codes in an array of bytes',
  'checks/logprobs/most-likely.ts NOISY': 'slack of a sum that no distribution passes',
  'checks/logprobs/most-likely.ts ROUNDED': 'slack of a sum that no distribution passes',
  'checks/logprobs/fillers.ts MOST_LISTED': 'what evidence shows',
  'checks/logprobs/gap-shift.ts LARGEST_SHIFT': 'shifts that are tried; evidence lists the correlation at each',
  'checks/logprobs/pooled-filter.ts SUM_XX': 'place in a list',
  'checks/logprobs/pooled-filter.ts SUM_XY': 'place in a list',
  'checks/logprobs/stale-sampler.ts MOST_LISTED': 'what evidence shows',
  'checks/logprobs/trend.ts MOST_STEPS': 'bound of cost',
  'checks/logprobs/version-gaps.ts MOST_SEGMENTS': 'what evidence shows',
  'checks/mask/goes-with-reward.ts DIGITS': 'what stored digits leave of a difference',
  'checks/mask/by-token.ts FEWEST_HOLES': 'one and two may be thoughts',
  'checks/mask/own-replies.ts NEAR': 'tokens in which a call ends; their text decides',
  'checks/mask/left-out-rows.ts FEWEST': 'fewer may be so by chance, and are no rule',
  'checks/mask/ends-of-pad.ts FEWEST_TRAINED': 'one other may have its own reason',
  'checks/mask/nulls-as-mask.ts MOST_PREFILLS': 'texts that a run may begin answers with',
  'checks/mask/silent-ends.ts FEWEST_TRAINED': 'one other is no custom',
  'checks/mask/masked-thoughts.ts LONGEST_CLOSING_TAG': 'tokens of a tag; its text decides',
  'checks/mask/masked-thoughts.ts LONGEST_EMPTY': 'tokens of two tags; their text decides',
  'checks/texts/normalised-text.ts BACKSLASH': 'a character',
  'checks/texts/normalised-text.ts BLANK': 'a character',
  'checks/texts/normalised-text.ts BLOCK': 'size of a table of characters',
  'checks/texts/normalised-text.ts COMBINING': 'a character',
  'checks/texts/normalised-text.ts KEPT': 'bound of memory',
  'checks/texts/normalised-text.ts SMALL_U': 'a character',
  'checks/texts/pairing.ts QUESTION_CHARACTERS': 'bound of cost: how much of a question is hashed',
  'checks/texts/prompt-opening.ts EMPTY_BLOCK': 'property of templates',
  'checks/texts/prompt-opening.ts NEWLINE': 'a byte',
  'checks/texts/question-sentences.ts MOST_CHARACTERS':
    'how much of a question is looked through for what others say too',
  'checks/texts/question-sentences.ts AT_AN_END':
    'how many sentences of a question are kept that may be those of all others too',
  'checks/texts/question-sentences.ts DIGITS': 'how much of a digest is kept',
  'checks/texts/question-sentences.ts RANGE': 'how many such digests there are',
  'checks/texts/question-sentences.ts NOTHING': 'the digest of no sentences',
  'checks/texts/rendered-prompt.ts CHARACTERS':
    'how much of an answer is looked at for a block of thoughts at its beginning',
  'checks/oracles/open-think.ts MOST_OF_EMPTY': 'tokens that an empty thought is of',
  'checks/of-last.ts TOGETHER': 'bound of memory: how many rollouts go through a check at once',
  'checks/facts/packed-columns.ts NULL': 'a code in an array of bytes',
  'checks/facts/packed-columns.ts UNDEFINED': 'a code in an array of bytes',
  'checks/texts/passages.ts ESCAPE': 'characters of an escape',
  'checks/oracles/high-ids.ts MOST_KEPT': 'places that are kept; beyond them a row is looked through again',
  'checks/texts/passages.ts MOST_KEPT': 'bound of memory',
  'checks/oracles/prompt-end.ts LONGEST_PREFILL':
    'tokens that templates begin a turn with; says where a prompt ends, not what is wrong',
  'checks/oracles/shape.ts NOT_LATE': 'nothing is',
  'checks/oracles/spans.ts LONG': 'bound of cost',
  'checks/oracles/spans.ts SHORT': 'bound of cost',
  'checks/groups/step-scales.ts NO_STEP': 'what a step without rewards has',
  'checks/logprobs/kl-rounded.ts BFLOAT': 'a code',
  'checks/logprobs/kl-rounded.ts BFLOAT_ROUNDING': 'precision of bf16',
  'checks/logprobs/kl-rounded.ts EPSILON': 'precision of 32-bit floats',
  'checks/logprobs/kl-rounded.ts FEWEST': 'decimals that are tried',
  'checks/logprobs/kl-rounded.ts MOST': 'decimals that are tried',
  'checks/grouping/split-groups.ts FEWEST_TOLD': 'three may add up to 0 by chance, of rewards that are 0 and 1',
  'checks/grouping/split-groups.ts ROUNDING': 'what 32-bit and 16-bit floats leave of a sum of 0',
  'checks/truncation/cut-replies.ts FORGED': 'turns behind a reply in which its tag is looked for',
  'checks/truncation/reply-tokens.ts LOWER_CASE': 'a bit of a character',
  'hypotheses/advice.ts RARE': 'what the advice tells first; the report lists all of it',
  'checks/oracles/own-blocks.ts LEAST_SCORED': 'more numbers than a shift of one token brings',
  'checks/template/left-out.ts MOST_BLANKS': 'property of templates',
  'checks/template/merged-newline.ts NEWLINE': 'a byte',
  'checks/template/merged-newline.ts NEWLINES_BEHIND_BLOCK': 'property of templates',
  'checks/truncation/cut-text.ts BESIDE': 'bound of cost: what stands right beside a mark decides',
  'checks/template/declared-tools.ts LONGEST_TITLE': 'bound of cost',
  'checks/template/declared-tools.ts NEAR': 'characters around a name in which prose calls it a tool; the words decide',
  'checks/template/words-of-others.ts BESIDE': 'how far off the edges of a mask of other ids are looked for',
  'checks/truncation/kind-pile.ts MOST_KINDS': 'bound of cost',
  'checks/truncation/reply-kinds.ts MOST_TURNS': 'bound of what is kept of a rollout',
  'checks/truncation/long-replies.ts LEAST_TOKENS': 'bound of cost, and of what is kept of a rollout',
  'checks/truncation/long-replies.ts EDGE_TOKENS': 'how much of an end is hashed',
  'checks/truncation/long-replies.ts BESIDE_TOKENS': 'how much of a text is looked at for prose',
  'checks/truncation/ending.ts TAIL': 'what evidence shows',
  'checks/truncation/reward-for-cut-text.ts LAST_WORDS': 'bound of cost: all of the turn is read where these differ',
  'checks/truncation/grid.ts GRID_ROWS': 'what a grid is: three lines of one width',
  'checks/truncation/grid.ts WIDEST_ROW': 'bound of cost',
  'checks/truncation/long-replies.ts CLOSING': 'characters',
  'checks/truncation/long-replies.ts SENTENCE_ENDS': 'characters',
  'checks/truncation/torn-schemas.ts BEFORE_SCHEMAS_TOKENS':
    'tokens that hold a sentence of a template; its text decides',
  'checks/truncation/torn-schemas.ts LONGEST_INDENT': 'bound of cost; the name in quotes decides',
  'checks/mask/kl-in-returns.ts ROUNDING': 'what float32 leaves of a difference',
  'checks/mask/earlier-versions.ts MOST_NAMED': 'versions that a message names',
  'checks/mask/earlier-versions.ts LONGEST_NAME': 'characters of one in a message',
  'checks/truncation/stops-in-call.ts LONGEST_TAG': 'tokens that a tag can take; its text decides',
  'checks/truncation/text-size.ts HEX_DIGITS': 'digits of an escape',
  'checks/truncation/text-size.ts UNKNOWN': 'what no count in an array of 16 bits is',
  'checks/oracles/states.ts MASK_UNKNOWN': 'a code in an array of bytes',
  'checks/facts/strip.ts LEAST_TRAINED': 'what a cell of a drawing shows',
  'checks/facts/strip.ts SEGMENTS': 'size of a drawing',
  'checks/facts/strip.ts STRIP_WIDTH': 'size of a drawing',
  'checks/truncation/dataset.ts LONGEST_HEADER': 'property of templates; the id that opens a turn decides',
  'checks/template/prompt-tools.ts LONGEST_PROMPT': 'bound of memory',
  'checks/template/altered-tools.ts LONGEST_SCHEMA': 'bound of cost',
  'checks/template/declared-tools.ts MOST_KEPT': 'bound of memory',
  'checks/template/altered-tools.ts MOST_TRIED': 'bound of cost',
  'checks/template/tools-missing.ts MOST_NAMED': 'what evidence shows',
  'checks/template/wrong-tokenizer.ts HEADER_END': 'property of a template',
  'checks/template/wrong-tokenizer.ts HEADER_START': 'property of a template',
  'checks/template/wrong-tokenizer.ts LONGEST_ROLE': 'property of a template',
  'checks/texts/system-text.ts MOST_KEPT': 'bound of memory',
  'checks/texts/text-template.ts HEX_DIGITS': 'digits of 32 bits',
  'checks/texts/text-template.ts MOST_DIGITS': 'digits of an exact number',
  'checks/texts/text-template.ts MOST_SLOTS': 'bound of cost',
  'checks/texts/text-template.ts ZERO': 'a character',
  'checks/template/drift.ts DRIFT_GROUPS': 'bound of cost: `drift-tokens` decides',
  'checks/oracles/called-tools.ts MOST_KEPT': 'bound of memory',
  'checks/oracles/called-tools.ts NAME_TOKENS': 'bound of cost: the text decides',
  'checks/template/drift.ts DRIFT_RECORDS': 'bound of cost: `drift-tokens` decides',
  'checks/template/drift.ts MOST_TOKENS': 'bound of cost: `drift-tokens` decides',
  'checks/template/drift.ts UNSURE_TOKENS': 'tokens of a word that the bound of cost cuts',
  'checks/template/forged-control.ts MOST': 'bound of cost',
  'checks/template/forged-control.ts MOST_IN_A_ROW': 'control tokens of a forged turn; their text decides',
  'checks/template/image-placeholders.ts MERGED_PATCHES': 'property of the Qwen-VL families',
  'checks/template/spelt-end.ts GREATER_THAN': 'a character',
  'checks/template/spelt-end.ts LONGEST_MARKER': 'tokens that the letters of a marker can take; its text decides',
  'checks/template/open-turns.ts FEWEST_CLOSED': 'all but one of two are one, which is no custom',
  'checks/template/tools-in-words.ts FEWEST_WITH_SCHEMA': 'a single prompt shows no custom',
  'checks/template/tools-left-out.ts FEWEST_CALLING': 'a share of few rollouts is less than one',
  'checks/template/tools-left-out.ts FEWEST_WHOLE': 'one prompt is no custom',
  'checks/template/prompt-tools.ts MOST_KEPT': 'bound of memory',
  'checks/template/marker-spelt.ts OPENING': 'tokens in which a marker must stand at the very start; its text decides',
  'checks/template/wrong-tokenizer.ts NAMED_IDS': 'what evidence shows',
  'checks/template/wrong-tokenizer.ts NEWLINE': 'an id',
  'checks/template/wrong-tokenizer.ts QWEN3_ALONE': 'ids',
  'checks/template/wrong-tokenizer.ts QWEN_START': 'an id',
  'checks/template/system-prompt.ts LOOKED_FOR': 'bound of cost: `system-opening-characters` decides',
  'checks/truncation/cut-replies.ts TAG_TOKENS': 'tokens of a tag; its text decides',
  'checks/truncation/dataset-lengths.ts BINS': 'what evidence shows',
  'checks/truncation/dataset.ts SHOWN_CHARACTERS': 'what evidence shows',
  'checks/truncation/rows-dropped.ts MOST_LISTED': 'what evidence shows',
  'checks/truncation/amid-call.ts MOST_BEFORE_PARAMETERS': 'what a call without its parameters is no longer than',
  'checks/truncation/cut-tool-call.ts MOST_OF_TAG': 'how far back a tag is looked for',
  'checks/truncation/cut-tool-call.ts REPLY_TOKENS': 'what evidence shows',
  'checks/truncation/documents-cut.ts SHOWN_TOKENS': 'what evidence shows',
  'checks/truncation/left-cut.ts FIRST_TEXT': 'by which evidence finds what was lost',
  'checks/truncation/left-cut.ts TELLING_TEXT': 'shorter texts stand in many messages, and find none',
  'checks/truncation/masked-rows-counted.ts MOST_REWARDS': 'what evidence shows',
  'checks/truncation/what-was-lost.ts HEAD': 'by which evidence names what was lost',
  'checks/truncation/what-was-lost.ts SHORTEST_ANSWER': 'by which evidence names what was lost',
  'checks/truncation/what-was-lost.ts SYSTEM_HEAD': 'by which evidence names what was lost',
  'hypotheses/advice.ts TOLD_STEPS': 'what the advice tells one by one',
  'hypotheses/advice.ts LONGEST_SWITCHES': 'how much of the advice is spelt out',
  'hypotheses/covers.ts NEARLY_ALL': 'what the advice tells as one step; both are in the report',
  'hypotheses/chosen-by-reward.ts CUT_AT_ENDS': 'a dump has two ends, each of which may lie within a group',
  'hypotheses/reward-trend.ts MOST_PLACES': 'bound of cost',
  'hypotheses/reward.ts TOLD_SCALES': 'what a line tells one by one',
  'hypotheses/aggregates.ts BIN_WIDTH': 'bins that merged reports share',
  'hypotheses/aggregates.ts EVEN_UP_TO': 'bins that merged reports share',
  'hypotheses/aggregates.ts LONGEST': 'bins that merged reports share',
  'hypotheses/aggregates.ts MILLIONTHS': 'unit of exact sums',
  'hypotheses/aggregates.ts OUTERMOST_REWARD_BIN': 'bins that merged reports share',
  'hypotheses/aggregates.ts REWARD_BINS_PER_UNIT': 'bins that merged reports share',
  'hypotheses/step-limits.ts MOST_STEPS': 'bound of cost: a limit that grows shows in the first of them',
  'hypotheses/paired-ends.ts LEVELS': 'tables that are looked for; whether chance gives as many is `h08-ends-chance`',
  'hypotheses/paired-ends.ts SAME': 'what float64 leaves of a quotient',
  'hypotheses/reward-trend.ts FULL_REWARD': 'the scale that rewards have unless they show another',
  'hypotheses/run-likeness.ts MOST_NAMED': 'what the sentence names',
}

/** Fractions in the code that judge nothing. */
const FRACTIONS: Readonly<Record<string, string>> = {
  'checks/logprobs/kl-rounded.ts': 'half of the last decimal that a number is rounded to',
  'checks/logprobs/kl-formula.ts': 'whether a scale is worth a word in the message',
  'checks/logprobs/text.ts': 'how a number is rounded for a message',
  'hypotheses/h03.ts': 'whether a scale is worth a word in the measure',
}

const sources = import.meta.glob<string>(['../../shared/checks/**/*.ts', '../../shared/hypotheses/**/*.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
})
const files = Object.entries(sources).map(([path, text]) => ({ file: path.replace('../../shared/', ''), text }))

/** `const NAME = 3`, `= 1 << 18`, `= [0, 1e-8]`, `= { mean: 0.5 }`. */
const NUMERIC = /^\s*(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=]+)? = (.+)$/gm

function isNumeric(initializer: string): boolean {
  const bare = initializer.replace(/'[^']*'|"[^"]*"|\/[^/]+\/[a-z]*/g, '').replace(/\s*as const.*/, '')
  return /(?:^|[[{(:,\s*-])\d/.test(bare) && !/=>|function|new (?!Map)/.test(bare)
}

describe('numbers in checks and hypotheses', () => {
  it('that are named judge nothing, or stand in the registry', () => {
    const named = files.flatMap(({ file, text }) =>
      [...text.matchAll(NUMERIC)].filter(([, , value = '']) => isNumeric(value)).map(([, name]) => `${file} ${name}`),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => STRUCTURAL[name] === undefined)).toEqual([])
    // What is gone from the code is gone from the list.
    expect(Object.keys(STRUCTURAL).filter((name) => !named.includes(name))).toEqual([])
  })

  it('that are fractions compare nothing', () => {
    const compared = files.filter(({ file, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').replace(/'[^'\n]*'|`[^`]*`/g, '')
      return /[<>]=? -?\d*\.\d|\d\.\d+ [<>*]|\* \d*\.\d/.test(code) && FRACTIONS[file] === undefined
    })
    expect(compared.map(({ file }) => file)).toEqual([])
  })
})
