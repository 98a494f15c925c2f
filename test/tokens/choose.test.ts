import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { chooseByFits, fitSequences, type TokenizerCandidate } from '../../shared/tokens/choose.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'

let families: Awaited<ReturnType<typeof testTokenizer>>[]
let candidates: TokenizerCandidate[]

beforeAll(async () => {
  families = await Promise.all(FAMILIES.map((id) => testTokenizer(id)))
  candidates = families.map(({ id, table, frame }) => ({ id, table, frame }))
})

function encoded(id: (typeof FAMILIES)[number], text: string): Int32Array {
  const family = families.find((each) => each.id === id)
  if (family === undefined) throw new Error(`no family ${id}`)
  return Int32Array.from(family.encode(text, { specials: true }))
}

function chooseTokenizer(
  samples: readonly Int32Array[],
  among: readonly TokenizerCandidate[],
  hints?: { readonly model: string | null },
) {
  const { families, sequences } = fitSequences(samples, among)
  return chooseByFits(families, sequences, hints)
}

const CHAT = '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n'

describe('the tokenizer that ids speak for', () => {
  it('knows Llama 3 by its header ids', () => {
    const text = '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nWho?<|eot_id|>'
    const chosen = chooseTokenizer([encoded('llama3', text)], candidates)
    expect(chosen).toMatchObject({ id: 'llama3', confidence: 0.99 })
    expect(chosen.evidence[0]).toBe('1 turn start is followed by a role name (<|start_header_id|>)')
  })

  it('is named with its counts, and without what the engine formats numbers by, which every start would wait 9 ms for', () => {
    const format = vi.spyOn(Number.prototype, 'toLocaleString')
    const { evidence } = chooseTokenizer([encoded('qwen2.5', CHAT.repeat(60))], candidates)
    expect(evidence.join()).toMatch(/all of \d,\d{3} ids looked at are among qwen2.5's \d{3},\d{3}/)
    expect(format).not.toHaveBeenCalled()
    format.mockRestore()
  })

  it('knows Qwen3 by ids that Qwen2.5 does not have', () => {
    const chosen = chooseTokenizer([encoded('qwen3', `${CHAT}<think>\nhm\n</think>\n\nAda<|im_end|>\n`)], candidates)
    expect(chosen).toMatchObject({ id: 'qwen3', confidence: 0.99 })
    expect(chosen.evidence.join()).toContain('qwen2.5 does not have: 151667 (<think>), 151668 (</think>)')
  })

  it('says so when the ids contradict the name of the model', () => {
    const ids = encoded('qwen3', `${CHAT}<think>\nhm\n</think>\n\nAda<|im_end|>\n`)
    const chosen = chooseTokenizer([ids], candidates, { model: 'Qwen/Qwen2.5-7B-Instruct' })
    expect(chosen.id).toBe('qwen3')
    expect(chosen.evidence.join()).toContain('Qwen/Qwen2.5-7B-Instruct, which its ids contradict')
  })

  it('tells the Qwen families apart by name, by spelt tags, by the default prompt, and else says that it cannot', () => {
    const plain = encoded('qwen2.5', `${CHAT}Ada<|im_end|>\n`)
    expect(chooseTokenizer([plain], candidates, { model: 'Qwen/Qwen3-4B-Instruct-2507' })).toMatchObject({
      id: 'qwen3',
      confidence: 0.95,
    })
    expect(chooseTokenizer([plain], candidates, { model: 'qwen2.5-7b' })).toMatchObject({
      id: 'qwen2.5',
      confidence: 0.95,
    })
    const spelt = encoded('qwen2.5', `${CHAT}<think>\nhm</think> Ada<|im_end|>\n`)
    expect(chooseTokenizer([spelt], candidates)).toMatchObject({ id: 'qwen2.5', confidence: 0.95 })
    const byDefault = encoded(
      'qwen2.5',
      '<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n',
    )
    expect(chooseTokenizer([byDefault], candidates)).toMatchObject({ id: 'qwen2.5', confidence: 0.9 })
    const undecided = chooseTokenizer([plain], candidates)
    expect(undecided).toMatchObject({ id: 'qwen2.5', confidence: 0.6 })
    expect(undecided.evidence.join()).toContain('nothing in them tells the two apart')
  })

  it('takes Qwen3 ids in a few of many sequences that spell its tags for ids of another vocabulary', () => {
    const pieces = encoded('qwen2.5', `${CHAT.repeat(40)}<think>\nhm</think> Ada<|im_end|>\n`)
    const foreign = encoded('qwen3', `${CHAT.repeat(40)}<think>\n</think>\n\nAda<|im_end|>\n`)
    const among = (spelling: number, few: number, model: string | null = null) =>
      chooseTokenizer(
        [...Array<Int32Array>(spelling).fill(pieces), ...Array<Int32Array>(few).fill(foreign)],
        candidates,
        { model },
      )
    const chosen = among(16, 2)
    expect(chosen).toMatchObject({ id: 'qwen2.5', confidence: 0.9 })
    expect(chosen.evidence.join('\n')).toContain(
      '16 sequences open turns with tags spelt by pieces, for which qwen3 has one id, and 2 have ids that it alone has: 151667 (<think>), 151668 (</think>)',
    )
    expect(among(16, 2, 'Qwen/Qwen2.5-7B')).toMatchObject({ id: 'qwen2.5' })
    // Where more have them, or the dump says so, it is the tags that are wrong (T16).
    expect(among(15, 2)).toMatchObject({ id: 'qwen3' })
    expect(among(4, 12)).toMatchObject({ id: 'qwen3' })
    expect(among(16, 2, 'Qwen/Qwen3-8B')).toMatchObject({ id: 'qwen3' })
  })

  it('chooses none for ids of another family, and names what was tried', () => {
    // GPT-2's ids of English prose: all in every vocabulary, framed by none.
    const gpt2 = Int32Array.from([464, 2068, 7586, 21831, 18045, 625, 262, 16931, 3290, 13, 50256])
    const chosen = chooseTokenizer([gpt2], candidates)
    expect(chosen.id).toBeNull()
    expect(chosen.evidence).toHaveLength(3)
    expect(chosen.evidence[0]).toContain('qwen2.5: all of 11 ids looked at are among')
  })

  it('takes no number below 0 for an id: rows that are padded with -100 are still of a family, ids of none are not', () => {
    const turns = encoded('qwen3', `${CHAT}<think>\nhm\n</think>\n\nAda<|im_end|>\n`)
    const behind = (id: number) => Int32Array.of(...turns, ...Array<number>(200).fill(id))
    const chosen = chooseTokenizer([behind(-100)], candidates)
    expect(chosen).toMatchObject({ id: 'qwen3', confidence: 0.99 })
    expect(chooseTokenizer([behind(200_000)], candidates).id).toBeNull()
    expect(chooseTokenizer([Int32Array.of(-100, -100)], candidates).id).toBeNull()
  })

  it('says of each what speaks against it', () => {
    const evidence = (ids: readonly number[]) => chooseTokenizer([Int32Array.from(ids)], candidates).evidence[0]
    expect(evidence([100, 101])).toMatch(/^qwen2\.5: all of 2 ids .* are among .*, but no turn starts/)
    expect(evidence([200_100, 200_101])).toMatch(/^qwen2\.5: 2 of 2 ids .* are not among .*, and no turn starts/)
  })

  it('chooses none where a later family renumbered its control ids', () => {
    const ids = Int32Array.from([248045, 872, 198, 9707, 248046, 198])
    expect(chooseTokenizer([ids], candidates, { model: 'Qwen/Qwen3.5-4B' }).id).toBeNull()
  })

  it('believes the name of the model, or the edges of the text, where nothing is framed', () => {
    const prose = encoded('qwen2.5', 'Question: who? Answer: Ada')
    expect(chooseTokenizer([prose], candidates, { model: 'Qwen2.5-0.5B' })).toMatchObject({
      id: 'qwen2.5',
      confidence: 0.7,
    })
    const withBos = encoded('llama3', '<|begin_of_text|>Question: who?')
    expect(chooseTokenizer([withBos], candidates)).toMatchObject({ id: 'llama3', confidence: 0.6 })
    expect(chooseTokenizer([prose], candidates, { model: null }).id).toBeNull()
  })

  it('takes padding at either side for an edge of the text, but no single token', () => {
    const pad = '<|finetune_right_pad_id|>'
    const prose = encoded('llama3', 'Question: who?')
    const padded = (left: number, right: number) => {
      const ids = encoded('llama3', `${pad.repeat(left)}Question: who?${pad.repeat(right)}`)
      return chooseTokenizer([ids, prose], candidates).id
    }
    expect([padded(0, 2), padded(2, 0)]).toEqual(['llama3', 'llama3'])
    expect([padded(0, 1), padded(1, 0)]).toEqual([null, null])
  })

  it('chooses none where the ids of turn starts stand for something else, as in the distilled models of R1', () => {
    // <｜begin▁of▁sentence｜><｜User｜>Who?<｜Assistant｜>Ada<｜end▁of▁sentence｜>, in the places of <|object_ref_start|>, <|im_start|> and <|im_end|>.
    const distilled = Int32Array.from([151646, 151644, ...encoded('qwen2.5', 'Who?'), 151645, 38, 2172, 151643])
    const chosen = chooseTokenizer([distilled, distilled], candidates)
    expect(chosen.id).toBe(null)
    expect(chosen.evidence.join()).toContain('0 of 2 turn starts are followed by a role name')
    // One start that a text forged speaks against nothing.
    const base = encoded('qwen2.5', 'Question: who?\nAnswer: Ada.<|endoftext|>')
    const forged = encoded('qwen2.5', 'Question: what is <|im_start|>?\nAnswer: a mark.<|endoftext|>')
    expect(chooseTokenizer([base, base, base, forged], candidates).id).toBe('qwen2.5')
  })

  describe('where the first sequences leave it open', () => {
    const many = (ids: Int32Array, times = 32) => Array.from({ length: times }, () => ids)
    let plain: Int32Array
    let thinking: Int32Array
    let raw: Int32Array
    beforeAll(() => {
      plain = encoded('qwen3', `${CHAT}Ada<|im_end|>\n`)
      thinking = encoded('qwen3', `${CHAT}<think>\nhm\n</think>\n\nAda<|im_end|>\n`)
      raw = encoded('qwen3', 'Number 7 is called thing 7, and so on')
    })

    it('is told by one behind them that has ids of one family alone', () => {
      const chosen = chooseTokenizer([...many(plain), ...many(plain, 20), thinking], candidates)
      expect(chosen).toMatchObject({ id: 'qwen3', confidence: 0.99 })
      expect(chosen.evidence.join()).toContain('qwen2.5 does not have: 151667 (<think>), 151668 (</think>)')
      expect(chooseTokenizer(many(plain, 53), candidates)).toMatchObject({ id: 'qwen2.5', confidence: 0.6 })
    })

    it('is told by the turns behind texts without any', () => {
      expect(chooseTokenizer(many(raw), candidates).id).toBeNull()
      expect(chooseTokenizer([...many(raw), plain], candidates)).toMatchObject({ id: 'qwen2.5', confidence: 0.6 })
      expect(chooseTokenizer([...many(raw), plain, raw, thinking], candidates).id).toBe('qwen3')
      const llama = encoded('llama3', '<|start_header_id|>user<|end_header_id|>\n\nWho?<|eot_id|>')
      expect(chooseTokenizer([...many(raw), llama], candidates).id).toBe('llama3')
      const ended = encoded('qwen3', 'It is so.<|endoftext|>')
      expect(chooseTokenizer([...many(ended), thinking], candidates).id).toBe('qwen3')
    })

    it('stays what the name, spelt tags or the default prompt of the first say', () => {
      const model = 'Qwen/Qwen2.5-7B-Instruct'
      expect(chooseTokenizer([...many(plain), thinking], candidates, { model }).id).toBe('qwen2.5')
      const spelt = encoded('qwen2.5', `${CHAT}<think>\nhm\n</think>\n\nAda<|im_end|>\n`)
      expect(chooseTokenizer([spelt, ...many(plain, 31), ...many(thinking, 20)], candidates).id).toBe('qwen2.5')
      const system = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'
      const byDefault = encoded('qwen2.5', `<|im_start|>system\n${system}<|im_end|>\n`)
      expect(chooseTokenizer([...many(byDefault), ...many(thinking, 20)], candidates).id).toBe('qwen2.5')
    })
  })

  it('chooses none where there are no ids', () => {
    expect(chooseTokenizer([], candidates)).toEqual({
      id: null,
      confidence: 0,
      evidence: ['no token ids in this dump'],
    })
    expect(chooseTokenizer([new Int32Array(0)], candidates).id).toBeNull()
  })

  it('says the same of sequences that were looked at in parts', () => {
    const pool = [
      encoded('qwen2.5', `${CHAT}Ada<|im_end|>\n`),
      encoded('qwen3', `${CHAT}<think>\nhm\n</think>\n\nAda<|im_end|>\n`),
      encoded('llama3', '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nWho?<|eot_id|>'),
      Int32Array.of(1, 999_999, 888_888, -1, 777_777, 999_999, 666_666),
      new Int32Array(0),
    ]
    const sequence = fc.nat(pool.length - 1).map((index) => pool[index] as Int32Array)
    fc.assert(
      fc.property(fc.array(fc.array(sequence, { maxLength: 20 }), { minLength: 1, maxLength: 4 }), (parts) => {
        const looked = parts.map((part) => fitSequences(part, candidates))
        const families = candidates.map((_, i) => {
          const same = looked.map((part) => part.families[i]!)
          return { ...same[0]!, spellings: Object.assign({}, ...same.map(({ spellings }) => spellings)) }
        })
        const sequences = looked.flatMap((part) => part.sequences)
        expect(chooseByFits(families, sequences)).toEqual(chooseTokenizer(parts.flat(), candidates))
      }),
    )
  })
})
