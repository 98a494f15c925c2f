import { describe, expect, test } from 'vitest'
import { Budget } from '../../../shared/containers/pickle/budget.ts'
import { PickleIssues } from '../../../shared/containers/pickle/issues.ts'
import { toJson } from '../../../shared/containers/pickle/json.ts'
import { readTensor } from '../../../shared/containers/pickle/tensor.ts'
import { PyDict, PyList, PyObject, PyTuple, type PyValue } from '../../../shared/containers/pickle/values.ts'
import { openPickle } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, pickle, readAsJson } from './read.ts'

const u32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255]

/** What is wrong, the bytes, and the place that the error names. */
const BAD: [what: string, bytes: Uint8Array, code: string, at: number][] = [
  ['nothing', pickle(), 'cut-off', 0],
  ['no end', pickle('N'), 'cut-off', 1],
  ['an end of nothing', pickle('.'), 'bad-pickle', 0],
  ['text, not a pickle', pickle('{"tokens": [1, 2]}'), 'bad-pickle', 0],
  ['a later protocol', pickle([0x80, 6], 'N.'), 'unsupported-pickle', 0],
  ['an unknown operation', pickle('N', [0xff], '.'), 'bad-pickle', 1],
  ['an extension of one byte', pickle([0x82, 1], '.'), 'unsupported-pickle', 0],
  ['an extension of two', pickle([0x83, 1, 0], '.'), 'unsupported-pickle', 0],
  ['an extension of four', pickle([0x84, 1, 0, 0, 0], '.'), 'unsupported-pickle', 0],
  ['a buffer outside of the file', pickle([0x80, 5, 0x97], '.'), 'unsupported-pickle', 2],
  ['a read-only buffer', pickle([0x80, 5], 'N', [0x98], '.'), 'unsupported-pickle', 3],
  ['a value that was never memoised', pickle('N0h', [3], '.'), 'bad-pickle', 2],
  ['a memoised value whose number is no number', pickle('gx\n.'), 'bad-pickle', 0],
  ['memoising nothing', pickle('q', [0], '.'), 'bad-pickle', 0],
  ['a mark that is not there', pickle('Nt.'), 'bad-pickle', 1],
  ['a value below a mark', pickle('N(R.'), 'bad-pickle', 2],
  ['a key without a value', pickle('}(Nu.'), 'bad-pickle', 3],
  ['items of no list', pickle('N(NNe.'), 'bad-pickle', 4],
  ['an item of no dict', pickle(']NNs.'), 'bad-pickle', 3],
  ['arguments that are no tuple', pickle('cos\nsystem\nNR.'), 'bad-pickle', 12],
  ['keyword arguments that are no dict', pickle('cos\nsystem\n)N', [0x92], '.'), 'bad-pickle', 13],
  ['a call of a number', pickle('I1\n)R.'), 'bad-pickle', 4],
  ['a name of two numbers', pickle('K', [1], 'K', [2], [0x93], '.'), 'bad-pickle', 4],
  ['text that is not in UTF-8', pickle('X', u32(1), [0xff], '.'), 'bad-pickle', 0],
  ['an integer without digits', pickle('Iseven\n.'), 'bad-pickle', 0],
  ['a float that is none', pickle('F1.2.3\n.'), 'bad-pickle', 0],
  ['a text without quotes', pickle('Sabc\n.'), 'bad-pickle', 0],
  ['a character beyond all', pickle('V\\Uffffffff\n.'), 'bad-pickle', 0],
  ['an integer of negative length', pickle([0x8b], u32(-5), '.'), 'bad-pickle', 0],
  ['a text longer than the file', pickle('X', u32(2 ** 31 - 1), 'abc.'), 'cut-off', 0],
  ['a text of 2^63 bytes', pickle([0x8d, 0, 0, 0, 0, 0, 0, 0, 0x80], 'abc.'), 'cut-off', 0],
  ['bytes of 2^64', pickle([0x8e, 255, 255, 255, 255, 255, 255, 255, 255], 'abc.'), 'cut-off', 0],
  ['a bytearray of 2^62', pickle('N', [0x96, 0, 0, 0, 0, 0, 0, 0, 0x40], 'abc.'), 'cut-off', 1],
  ['a frame of 2^62', pickle([0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0x40], 'N.'), 'cut-off', 2],
  ['an integer of 2^31 bytes', pickle([0x8b], u32(2 ** 31 - 1), '.'), 'cut-off', 0],
  ['a line without an end', pickle('Vabc'), 'cut-off', 0],
  ['a name without an end', pickle(`cos\n${'a'.repeat(70_000)}`), 'bad-pickle', 0],
]

describe('what makes no sense', () => {
  for (const [what, bytes, code, at] of BAD) {
    test(what, async () => {
      for (const windowBytes of [1, 1 << 20]) {
        const reading = readAsJson(bytes, { windowBytes, where: 'batch.pkl, ' })
        await expect(reading).rejects.toMatchObject({ name: 'PickleError', code, at })
        await expect(reading).rejects.toThrow(new RegExp(`^batch\\.pkl, byte ${at}: .+\\. .+\\.$`))
      }
    })
  }

  test('a file that has become shorter since it was opened', async () => {
    const source = memorySource(fixture('pickle/plain.4.pkl').slice(0, 1000))
    await expect(openPickle({ ...source, size: 44_265 })).rejects.toMatchObject({ code: 'cut-off' })
  })
})

describe('nesting', () => {
  test('10,000 lists in one another are read; as JSON the depth is limited, and that is said', async () => {
    const bytes = fixture('pickle/deep.pkl')
    const { value } = await openPickle(memorySource(bytes))
    let depth = 0
    for (let at: PyValue | undefined = value; at instanceof PyList; at = at.at(0)) depth++
    expect(depth).toBe(10_000)
    const issues = new PickleIssues()
    let json: unknown = await toJson(value, { issues })
    depth = 0
    for (; Array.isArray(json); json = json[0]) depth++
    expect(depth).toBe(512)
    expect(json).toEqual({ kind: 'placeholder', name: 'nested deeper than 512 levels' })
    expect(issues.list()).toMatchObject([{ code: 'too-deep', count: 1 }])
    json = await toJson(value, { maxDepth: 20_000 })
    depth = 0
    for (; Array.isArray(json); json = json[0]) depth++
    expect(depth).toBe(10_000)
  })

  test('tuples, dicts, calls and states in one another, 50,000 deep', async () => {
    const times = 50_000
    for (const bytes of [
      pickle('N', new Uint8Array(times).fill(0x85), '.'),
      pickle('}K\x01'.repeat(times), 'N', 's'.repeat(times), '.'),
      pickle('cos\nsystem\n'.repeat(times), 'N', '\x85R'.repeat(times), '.'),
      pickle('clab\nThing\n)\x81'.repeat(times), 'N', 'b'.repeat(times), '.'),
      pickle('('.repeat(times), 'N', 't'.repeat(times), '.'),
    ]) {
      const { json } = await readAsJson(bytes)
      expect(JSON.stringify(json)).toContain('nested deeper than 512 levels')
    }
  })
})

describe('what is shared and what contains itself', () => {
  test('a list that contains itself', async () => {
    const { json } = await readAsJson(fixture('pickle/cycle.pkl'))
    expect(json).toEqual([1, { self: { kind: 'placeholder', name: 'contains itself' } }])
  })

  test('a tuple, an object and what stands for another value', async () => {
    const list = new PyList()
    const tuple = new PyTuple([list])
    list.push(tuple)
    const object = new PyObject('lab.Node')
    object.fields.set('next', object)
    const alias = new PyObject('tensordict.NonTensorData')
    alias.value = alias
    const issues = new PickleIssues()
    const json = await toJson(new PyTuple([tuple, object, alias]), { issues })
    const itself = { kind: 'placeholder', name: 'contains itself' }
    expect(json).toEqual([[[itself]], { __class__: 'lab.Node', next: itself }, itself])
    expect(issues.list()).toMatchObject([{ code: 'cycle', count: 2 }])
  })

  test('a list that doubles forty times is read, and not repeated 2^40 times', async () => {
    const parts: (string | number[])[] = [']q', [0], 'N', 'a']
    // Each list holds the one before it twice.
    for (let i = 1; i <= 40; i++) parts.push(']q', [i], `(h`, [i - 1], 'h', [i - 1], 'e')
    const bytes = pickle(...parts, '.')
    const { value } = await openPickle(memorySource(bytes))
    await expect(toJson(value, { budget: new Budget(1 << 20) })).rejects.toMatchObject({ code: 'too-large' })
  })
})

describe('memory', () => {
  const budget = () => new Budget(1 << 20)

  test('a list of a thousand that is copied without end', async () => {
    const list = pickle('](', ...Array(1000).fill('K\x01'), 'eq', [0], '0')
    for (const [copy, call] of [
      ['builtins\nlist', ['h', [0], [0x85], 'R0']],
      ['builtins\ntuple', ['h', [0], [0x85], 'R0']],
      ['builtins\nset', ['h', [0], [0x85], 'R0']],
      ['builtins\nbytes', ['h', [0], [0x85], 'R0']],
      ['collections\ndeque', ['h', [0], [0x85], 'R0']],
    ] as const) {
      const copies = Array.from({ length: 500 }, () => [`c${copy}\n`, ...call]).flat()
      const bytes = pickle(list, ...(copies as (string | number[])[]), 'N.')
      await expect(openPickle(memorySource(bytes), { budget: budget() }), copy).rejects.toMatchObject({
        code: 'too-large',
        at: expect.any(Number),
        message: expect.stringContaining('1 MiB'),
      })
    }
  })

  test('a text that is encoded without end', async () => {
    const text = pickle('X', u32(10_000), 'a'.repeat(10_000), 'q', [0], '0')
    const once = ['c_codecs\nencode\n(h', [0], "S'latin1'\ntR0"] as const
    const bytes = pickle(text, ...(Array.from({ length: 200 }, () => [...once]).flat() as (string | number[])[]), 'N.')
    await expect(openPickle(memorySource(bytes), { budget: budget() })).rejects.toMatchObject({ code: 'too-large' })
  })

  test('an array of a billion texts of no length, and of objects that are not there', async () => {
    const array = (code: string, data: string) =>
      pickle(
        `cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n(I1000000000\ntcnumpy\ndtype\n(S'${code}'\ntRI00\n${data}tb.`,
      )
    for (const code of ['U0', 'S0']) {
      const reading = openPickle(memorySource(array(code, "S''\n")), { budget: budget() })
      await expect(reading, code).rejects.toMatchObject({ code: 'too-large' })
    }
    await expect(openPickle(memorySource(array('O8', ']')))).rejects.toMatchObject({ code: 'bad-pickle' })
    await expect(openPickle(memorySource(array('f8', "S''\n")))).rejects.toMatchObject({ code: 'bad-pickle' })
  })

  test('many small values', async () => {
    for (const part of [']', '}', ')', '\x8f', '(t', 'clab\nC\n', 'N']) {
      const bytes = pickle(part.repeat(200_000), 'N.')
      const reading = openPickle(memorySource(bytes), { budget: budget() })
      await expect(reading, part).rejects.toMatchObject({ code: 'too-large' })
    }
  })

  test('a range is not expanded, a number of a million digits not shown, a large place in the memo takes nothing', async () => {
    const range = pickle('cbuiltins\nrange\n(I0\nI1000000000000\ntR.')
    expect((await readAsJson(range)).json).toMatchObject({ stop: 1_000_000_000_000 })
    const long = pickle('(', [0x8b], u32(500_000), new Uint8Array(500_000).fill(7))
    const { json, issues } = await readAsJson(
      pickle(long, `I${'9'.repeat(5000)}\nL-${'9'.repeat(5000)}L\nK`, [2], 't.'),
    )
    const shown = ['bytes', 'digits', 'digits'].map((unit, i) => ({
      kind: 'placeholder',
      name: `an integer of ${[500_000, 5000, 5001][i]} ${unit}`,
    }))
    expect(json).toEqual([...shown, 2])
    expect(issues).toMatchObject([{ code: 'inexact-integer', count: 3 }])
    expect((await readAsJson(pickle('Nr', u32(0xffffffff), '0j', u32(0xffffffff), '.'))).json).toBe(null)
  })

  test('torch files inside torch files inside torch files', async () => {
    let bytes = fixture('torch/storage.pt')
    for (let i = 0; i < 6; i++) {
      bytes = pickle([0x80, 3], 'ctorch.storage\n_load_from_bytes\nB', u32(bytes.length), bytes, [0x85], 'R.')
      if (i < 5) bytes = legacyTorch(bytes)
    }
    await expect(openPickle(memorySource(bytes))).rejects.toMatchObject({ code: 'too-large' })
  })

  test('a tensor whose bytes could not be read is an error when it is read, not before', async () => {
    const bytes = pickle(
      [0x80, 3],
      'ctorch._utils\n_rebuild_tensor_v2\n(ctorch.storage\n_load_from_bytes\nC',
      [3],
      'abc',
      [0x85],
      'RK',
      [0],
      'K',
      [2],
      [0x85],
      'K',
      [1],
      [0x85],
      [0x89],
      'NtR.',
    )
    const { value, issues } = await openPickle(memorySource(bytes))
    expect(issues).toMatchObject([{ code: 'damaged-part' }])
    await expect(readTensor(value as Parameters<typeof readTensor>[0])).rejects.toMatchObject({
      code: 'bad-pickle',
      at: bytes.length - 2,
    })
  })
})

describe('keys', () => {
  test('of all kinds, and two that are the same as JSON', async () => {
    const dict = new PyDict()
    dict.set(1, 'a')
    dict.set('1', 'b')
    dict.set('__proto__', 'c')
    dict.set(new PyTuple([1, new PyTuple([2])]), 'd')
    const issues = new PickleIssues()
    const json = await toJson(dict, { issues })
    expect(Object.entries(json as object)).toEqual([
      ['1', 'a'],
      ['1 (2)', 'b'],
      ['__proto__', 'c'],
      ['1, (…)', 'd'],
    ])
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
    expect(issues.list()).toMatchObject([{ code: 'key-clash', count: 1 }])
  })

  test('an object whose field is called as the name of its class', async () => {
    const object = new PyObject('os.system')
    object.fields.set('__class__', 'harmless')
    expect(await toJson(object)).toEqual({ __class__: 'os.system', '__class__ (2)': 'harmless' })
  })
})

/** A pickle as the object of a torch file of the old format, without storages of its own. */
function legacyTorch(object: Uint8Array): Uint8Array {
  const magic = [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e]
  const machine = pickle([0x80, 2], "}S'little_endian'\nI01\ns.")
  return pickle(magic, [0x80, 2], 'M', [0xe9, 3], '.', machine, object, [0x80, 2], '].')
}
