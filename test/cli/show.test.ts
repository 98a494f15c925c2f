import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { DumpFolder } from './dump-folder.ts'

const dumps = new DumpFolder()
const { cli } = dumps

describe('show', () => {
  test('every token in its state, by glyph, with the finding beneath', async () => {
    const { out, code } = await cli('show', 'faulty.jsonl', '--index', '1')
    expect(code).toBe(0)
    expect(out).toContain('rollout q1')
    expect(out).toMatch(/^· <\|im_start\|>system⏎$/m)
    expect(out).toMatch(/^█ The harbour was founded by Ada Quill in 1702\./m)
    expect(out).toMatch(/turn 3 {2}tool \(user\) {2}tokens \d+–\d+ {2}⚠ M01/)
    expect(out).toMatch(/^error {3}M01 .*tool reply/m)
    const clean = await cli('show', 'clean.jsonl', '--id', 'q1')
    expect(clean.out).toMatch(/^· The harbour was founded/m)
    expect(clean.out).toContain('no findings')
  })

  test('text of the dump drives no terminal', async () => {
    const bad = '\u001b[2J\u009b31m\u202egone\r'
    const { record } = conversation(await testTokenizer('qwen2.5'), [user(`say ${bad}`), assistant(`I say ${bad}`)], {
      id: bad,
      group: bad,
      finishReason: bad,
    })
    await writeFile(join(dumps.path, 'hostile.jsonl'), `${JSON.stringify(record)}\n`)
    const shown = await cli('show', 'hostile.jsonl', '--index', '0')
    const inspected = await cli('inspect', 'hostile.jsonl')
    const json = await cli('inspect', 'hostile.jsonl', '--json', '-')
    expect(shown.out).toContain('I say \u241b[2J')
    for (const { out, err } of [shown, inspected, json]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
      expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    }
  })

  test('what could not be read, and so is counted nowhere, is told', async () => {
    const { out, err, code } = await cli('show', 'notes.txt', 'clean.jsonl', '--index', '0')
    expect(code).toBe(0)
    expect(out).toContain('rollout q0')
    expect(err).toContain('not read: notes.txt')
    expect((await cli('show', 'notes.txt', 'clean.jsonl', '--id', 'nobody')).err).toContain('not read: notes.txt')
  })

  test('says which rollouts there are', async () => {
    expect((await cli('show', 'clean.jsonl', '--index', '6')).err).toContain('there are 6 rollouts, from 0 to 5')
    expect((await cli('show', 'clean.jsonl', '--id', 'nobody')).err).toContain('no rollout has this id')
    // What has no id is called by its record, and a record that was skipped counts.
    const gaps = 'no\nrecord\n{"input_ids":[151644,8948,198],"loss_mask":[0,0,1]}\n'
    await writeFile(join(dumps.path, 'gaps.jsonl'), gaps)
    expect((await cli('show', 'gaps.jsonl', '--index', '2')).err).toMatch(/called 2 is --index\s+0, or --id 2/)
    const none = await cli('show', 'clean.jsonl', '--where', 'reward>7')
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('there is none of these')])
    for (const which of [[], ['--index', '0', '--id', 'q0']]) {
      const unsaid = await cli('show', 'clean.jsonl', ...which)
      expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining('Say which rollout by one of')])
    }
  })
})
