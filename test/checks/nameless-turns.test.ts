import { describe, expect, it } from 'vitest'
import { namelessTurns } from '../../shared/checks/oracles/nameless-turns.ts'
import { createView } from '../../shared/checks/view.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { segment } from '../../shared/tokens/segment.ts'
import { conversation, type TurnSpec } from '../helpers/conversation.ts'
import { audited, lines, qwen, turnsOf } from '../session/dumps.ts'
import { byteTokenizer, KIMI } from '../tokens/template/other-families.ts'
import { settings } from './audit.ts'
import { failingOf, masked, type Piece, trained } from './pieces.ts'

const tokenizer = byteTokenizer(KIMI)
const opened = (token: string, role: string) => `<|im_${token}|>${role}<|im_middle|>`

const PROMPT: Piece = [
  `${opened('system', 'tool_declare')}[{"name": "search"}]<|im_end|>${opened('system', 'system')}Be brief.<|im_end|>${opened('user', 'user')}Who directed it?<|im_end|>`,
  false,
  false,
]
const HEADER: Piece = [opened('assistant', 'assistant'), false, false]
const CALL: Piece = ['I search for the film.<|im_end|>', true, true]
const REPLY: Piece = [
  `${opened('system', 'tool')}## Return of functions.search:0\nInes directed it in 1974.<|im_end|>`,
  false,
  false,
]
const ANSWER: Piece = ['It was Ines, in the year 1974.<|im_end|>', true, true]
const SOUND = [PROMPT, HEADER, CALL, REPLY, HEADER, ANSWER]

const instead = (of: Piece, by: Piece) => SOUND.map((piece) => (piece === of ? by : piece))
const codes = (pieces: readonly Piece[]) => failingOf(tokenizer, pieces, false).filter((code) => /^[MTC]/.test(code))

describe('replies of Kimi, behind a line with the id of the call', () => {
  it('are turns of a tool', () => {
    expect(codes(SOUND)).toEqual([])
    expect(codes(instead(REPLY, trained(REPLY)))).toContain('M01')
    expect(codes(SOUND.map((piece) => (piece === CALL ? masked(piece) : piece)))).toContain('M03')
    expect(codes([PROMPT, HEADER, CALL, REPLY, ANSWER])).toContain('T05')
  })
})

it('a turn that begins with a control token of which the template writes no turn may be a reply', () => {
  const template =
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
  const controls = ['<|system|>', '<|user|>', '<|assistant|>', '<|reply|>', '<|end|>']
  const phi = byteTokenizer({ name: 'phi', names: {}, controls, template })
  const isNameless = (text: string) => {
    const ids = Int32Array.from(phi.encode(text, { specials: true }))
    const row = { ...emptyTrajectory({ source: 0, record: 0, part: 0 }, 'row'), ids, mask: new Uint8Array(ids.length) }
    return createView(row, { tokenizer: phi, settings: settings(), unsampledLogprob: null })?.facts.namelessTurns
  }
  const asked = '<|user|>Who?<|end|><|assistant|>I ask.<|end|>'
  expect(isNameless(`${asked}<|reply|>Ines did.<|end|><|assistant|>Ines.<|end|>`)).toBe(true)
  // A header that is gone leaves words (T05), and what stands before the first turn of the model is the prompt.
  expect(isNameless(`${asked}Ines did.<|end|><|assistant|>Ines.<|end|>`)).toBeUndefined()
  expect(isNameless(`<|reply|>Ines did.<|end|>${asked}`)).toBeUndefined()
})

describe('turns of no role that is known', () => {
  const count = (pieces: readonly Piece[]) => {
    const ids = Int32Array.from(pieces.flatMap(([text]) => tokenizer.encode(text, { specials: true })))
    return namelessTurns(segment(ids, tokenizer, null), tokenizer.frame).length
  }
  const named = (name: string): Piece => [`${opened('system', name)}Ines directed it in 1974.<|im_end|>`, false, false]

  it('are those with another header than the template was seen to write, behind the first turn of the model', () => {
    expect(count(SOUND)).toBe(0)
    expect(count(instead(REPLY, named('search')))).toBe(1)
    // The row was cut inside of a header.
    expect(count([PROMPT, HEADER, CALL, [opened('system', 'tool').slice(0, -4), false, false]])).toBe(0)
  })

  const OF_ROLES = ['C09', 'M01', 'M03', 'M05', 'T05']

  const silent = async (reply: Partial<TurnSpec>) => {
    const qwen25 = await qwen()
    const rows = [0, 1, 2, 3].map((seed) =>
      conversation(qwen25, turnsOf(qwen25, seed, { tool: reply }), {
        id: `rollout-${seed}`,
        more: { documents: [{ id: 'film', text: `Document ${seed}: the river Arn rises`, supporting: true }] },
        messages: true,
      }),
    )
    const report = (await audited(lines(rows))).report()
    const checks = report.checks.filter(({ code }) => OF_ROLES.includes(code))
    const statuses = Object.fromEntries(checks.map(({ code, status }) => [code, status]))
    return { statuses, checks, h02: report.hypotheses.find(({ id }) => id === 'H02')?.verdict }
  }

  it('leave what is judged by roles open', async () => {
    for (const train of [true, false]) {
      const { statuses, checks, h02 } = await silent({ role: 'critic', train: { content: train } })
      expect(statuses).toEqual(Object.fromEntries(OF_ROLES.map((code) => [code, 'not-checkable'])))
      expect(checks[0]?.reason).toMatch(/^4 of 4 rollouts have turns of no role that is known/)
      expect(h02).not.toBe('contradicted')
    }
  })

  it('are none of a name that is known', async () => {
    const { statuses } = await silent({ role: 'observation' })
    expect(statuses).toEqual(Object.fromEntries(OF_ROLES.map((code) => [code, 'pass'])))
  })
})
