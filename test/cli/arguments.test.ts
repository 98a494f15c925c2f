import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../cli/arguments.ts'
import { UsageError } from '../../cli/io.ts'
import { auditOptions, INSPECT_OPTIONS } from '../../cli/options.ts'

const parse = (...argv: string[]) => parseArguments(argv, INSPECT_OPTIONS)

describe('arguments', () => {
  test('paths and options in any order', () => {
    expect(parse('a.jsonl', '--policy', 'sft', 'b.jsonl', '--limit=8')).toEqual({
      paths: ['a.jsonl', 'b.jsonl'],
      options: { policy: 'sft', limit: 8 },
    })
  })

  test('a dash is standard input as a path and standard output as a value', () => {
    expect(parse('-', '--json', '-')).toEqual({ paths: ['-'], options: { json: '-' } })
  })

  test('after -- everything is a path', () => {
    expect(parse('--', '--json').paths).toEqual(['--json'])
  })

  test.each([
    [['--checks', 'M01', 'M02', 'dump.jsonl']],
    [['--checks', 'M01,M02', 'dump.jsonl']],
    [['--checks=M01', '--checks', 'm02', 'dump.jsonl']],
    [['dump.jsonl', '--checks', 'M01', '--checks', 'M02']],
  ])('a list takes what looks like its items: %j', (argv) => {
    expect(parse(...argv)).toEqual({ paths: ['dump.jsonl'], options: { checks: ['M01', 'M02'] } })
  })

  test('an option that is taken once is not given twice, unless as the same', () => {
    expect(() => parse('--format', 'junit', '--format=sarif')).toThrow(
      '--format is taken once, and is given as junit and as sarif. Leave one out.',
    )
    expect(() => parse('--json', 'a.json', '--json', 'b.json')).toThrow('as a.json and as b.json')
    expect(parse('--limit', '8', '--limit=8').options).toEqual({ limit: 8 })
  })

  test('hypotheses keep their spelling', () => {
    expect(parse('--hypothesis', 'h02,H06-LoRA').options.hypothesis).toEqual(['H02', 'H06-lora'])
  })

  test.each([
    ['--jsn', '-', '--json'],
    ['--polcy', 'rl', '--policy'],
    ['--max-promt-length', '5', '--max-prompt-length'],
    ['--fail_on', 'none', '--fail-on'],
  ])('%s %s names the closest option %s', (name, value, closest) => {
    expect(() => parse('x', name, value)).toThrow(new RegExp(`${name} is not an option.*Did you mean ${closest}\\?`))
  })

  test('nothing near, nothing guessed', () => {
    // A file whose name begins with a dash is told whole, and how to name it.
    expect(() => parse('-dash.jsonl')).toThrow(
      /^-dash\.jsonl is not an option of this command\..* A file of that name is \.\/-dash\.jsonl\.$/,
    )
    expect(() => parse('--zzzzzzzz')).toThrow(/^--zzzzzzzz is not an option of this command\. --help/)
  })

  test.each([
    [['--limit', 'many'], /--limit many: a whole number/],
    [['--limit', '0'], /at least 1/],
    [['--limit', '2.5'], /whole number/],
    [['--limit', '-3'], /--limit -3: a whole number of at least 1/],
    [['--policy', 'dpo'], /there are rl, sft, last-turn/],
    [['--json'], /--json needs a value: --json PATH/],
    [['--json', '--format', 'sarif'], /--json needs a value: --json PATH/],
    [['--out', '--', 'dump.jsonl'], /--out needs a value: --out PATH/],
    [['--checks', 'dump.jsonl'], /a fault code such as M01/],
    [['--kl-beta', 'x'], /a number/],
  ])('%j is refused with a sentence', (argv, message) => {
    expect(() => parse(...argv)).toThrow(UsageError)
    expect(() => parse(...argv)).toThrow(message)
  })

  test('declarations reach the engine under its own names', () => {
    const { options } = parse(
      ...['--mask-alignment', 'target', '--max-seq-len', '4096', '--group-size', '8', '--intend', 'M03'],
      ...['--scale-rewards', 'none', '--advantage-eps', '1e-6', '--fail-on', 'warning', '--sample', '4', '--seed', '0'],
    )
    expect(auditOptions(options, 'qwen3')).toEqual({
      tokenizer: 'qwen3',
      maskAlignment: 'target',
      limits: { max_seq_len: 4096 },
      groupSize: 8,
      intend: ['M03'],
      scaleRewards: 'none',
      advantageEps: 1e-6,
      failOn: 'warning',
      sample: 4,
      seed: 0,
    })
  })

  test.each([
    [['--seed', '3'], /--seed goes with --sample/],
    [['--limit', '5', '--sample', '5'], /Leave one of them out/],
  ])('%j would do nothing beside the others, and is refused', (argv, message) => {
    expect(() => auditOptions(parse(...argv).options, null)).toThrow(UsageError)
    expect(() => auditOptions(parse(...argv).options, null)).toThrow(message)
  })

  test('nothing declared is nothing said', () => {
    expect(auditOptions({}, null)).toEqual({})
  })
})
