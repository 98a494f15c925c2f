import { describe, expect, it } from 'vitest'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { byteTokenizer, OTHER_FAMILIES } from '../tokens/template/other-families.ts'
import { auditTrajectories } from './audit.ts'
import { failingOf, type Piece } from './pieces.ts'

const tokenizer = byteTokenizer(OTHER_FAMILIES.find(({ name }) => name === 'deepseek')!)

const QUESTION: Piece = ['<BOS><｜User｜>Who directed it, and when was it?<｜Assistant｜>', false, false]
const ANSWER: Piece = ['I have to ask for the film first.<EOS>', true, true]
const REPLY: Piece = ['<｜User｜>Ines Valdoro directed Keljoris Song in 1974.', false, false]
const HEADER: Piece = ['<｜Assistant｜>', false, false]
const LAST: Piece = ['It was Ines Valdoro, in the year 1974, as the film says.<EOS>', true, true]

const failing = (pieces: readonly Piece[], tells = true) => failingOf(tokenizer, pieces, tells)

describe.each([true, false])('in a template that ends no user turns, with flags of who wrote what: %s', (tells) => {
  it('words of the model at the end of one have no header', () => {
    const codes = failing([QUESTION, ANSWER, REPLY, LAST], tells)
    expect(codes).toContain('T05')
    expect(codes).not.toContain('M01')
  })

  it('words behind a header have one', () => {
    expect(failing([QUESTION, ANSWER, REPLY, HEADER, LAST], tells)).not.toContain('T05')
  })

  it('a reply that is trained whole is none of the model’s, whoever closes it', () => {
    const trained: Piece = [`${REPLY[0]}<EOS>`, true, false]
    const codes = failing([QUESTION, ANSWER, trained, HEADER, LAST], tells)
    expect(codes).not.toContain('T05')
    expect(codes.some((code) => code === 'M01' || code === 'M05')).toBe(true)
  })
})

describe('a row whose prompt lost the end of the question and the header of the answer', () => {
  const failingWith = async (scored: 'answer' | 'all') => {
    const qwen = await testTokenizer('qwen3')
    const rows = [0, 1, 2, 3].map((record) => {
      const pieces = [
        { text: '<|im_start|>system\nAnswer in one sentence.<|im_end|>\n', trained: 0, has: scored === 'all' },
        { text: '<|im_start|>user\n', trained: 0, has: scored === 'all' },
        { text: `She did so in the year 19${record}4, as the film says.<|im_end|>`, trained: 1, has: true },
      ]
      const ids = pieces.map(({ text }) => qwen.encode(text, { specials: true }))
      const of = (value: (at: number) => number) => ids.flatMap((own, at) => own.map(() => value(at)))
      return {
        ...emptyTrajectory({ source: 0, record, part: 0 }, `${record}`.padStart(16, '0')),
        ids: Int32Array.from(ids.flat()),
        mask: Uint8Array.from(of((at) => pieces[at]!.trained)),
        logprobs: {
          sampler: Float32Array.from(of((at) => (pieces[at]!.has ? -0.25 : Number.NaN))),
          trainer: null,
          reference: null,
        },
      }
    })
    return auditTrajectories(rows, qwen).failing
  }

  it('has no turn that somebody else wrote where nothing but the words behind it is scored', async () => {
    const codes = await failingWith('answer')
    expect(codes).toContain('T05')
    expect(codes).not.toContain('M01')
  })

  it('may have one where the prompt is scored as well', async () => {
    const codes = await failingWith('all')
    expect(codes).toContain('M01')
    expect(codes).not.toContain('T05')
  })
})
