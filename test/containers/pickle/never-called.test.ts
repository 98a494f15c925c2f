import { describe, expect, test } from 'vitest'
import { Placeholder, PyName, PyObject } from '../../../shared/containers/pickle/values.ts'
import { openPickle, openTorch } from '../../../shared/containers/torch/open.ts'
import { memorySource } from '../memory-source.ts'
import { allValues } from './inert.ts'
import { fixture, pickle, readAsJson } from './read.ts'

/** What pickles were made to call in attacks, and names that mean something to the language of this reader. */
const NAMES: [module: string, qualname: string][] = [
  ['os', 'system'],
  ['posix', 'system'],
  ['nt', 'system'],
  ['os', 'popen'],
  ['os', 'execv'],
  ['pty', 'spawn'],
  ['subprocess', 'Popen'],
  ['subprocess', 'check_output'],
  ['builtins', 'eval'],
  ['builtins', 'exec'],
  ['builtins', 'compile'],
  ['builtins', '__import__'],
  ['builtins', 'open'],
  ['builtins', 'map'],
  ['builtins', 'type'],
  ['importlib', 'import_module'],
  ['runpy', 'run_path'],
  ['code', 'InteractiveInterpreter'],
  ['functools', 'partial'],
  ['functools', 'reduce'],
  ['operator', 'attrgetter'],
  ['operator', 'itemgetter'],
  ['operator', 'methodcaller'],
  ['itertools', 'starmap'],
  ['types', 'FunctionType'],
  ['types', 'CodeType'],
  ['marshal', 'loads'],
  ['pickle', 'loads'],
  ['_pickle', 'loads'],
  ['shelve', 'open'],
  ['ctypes', 'CDLL'],
  ['socket', 'create_connection'],
  ['webbrowser', 'open'],
  ['torch', 'load'],
  ['torch.hub', 'load'],
  ['torch.jit', 'load'],
  ['torch.storage', '_load_from_file'],
  ['torch._utils', '_import_dotted_name'],
  ['numpy', 'load'],
  ['numpy.core.multiarray', 'fromfile'],
  ['numpy.testing._private.utils', 'runstring'],
  ['tensordict._reductions', 'open'],
  ['verl.protocol', 'DataProto.load_from_disk'],
  ['roll.distributed.scheduler.protocol', 'DataProto.materialize_concat'],
  ['slime.utils.types', 'Sample.from_dict'],
  ['copyreg', 'add_extension'],
  ['constructor', 'constructor'],
  ['__proto__', 'constructor'],
  ['builtins', 'constructor'],
  ['builtins', '__proto__'],
  ['numpy.core.multiarray', 'constructor'],
  ['numpy.core.multiarray', '__proto__'],
  ['tensordict._reductions', 'constructor'],
  ['tensordict._reductions', 'toString'],
  ['pathlib', 'constructor'],
  ['pathlib', 'valueOf'],
  ['torch._utils', 'hasOwnProperty'],
]

const argument = pickle('X', [7, 0, 0, 0], 'echo hi')

/** Every operation and way that makes Python call something. */
const WAYS: Record<string, (module: string, qualname: string) => Uint8Array> = {
  'GLOBAL and REDUCE': (module, name) => pickle(`c${module}\n${name}\n(`, argument, 'tR.'),
  'GLOBAL and REDUCE without arguments': (module, name) => pickle(`c${module}\n${name}\n)R.`),
  'STACK_GLOBAL and REDUCE': (module, name) =>
    pickle([0x80, 4, 0x8c, module.length], module, [0x8c, name.length], name, [0x93], argument, [0x85], 'R.'),
  INST: (module, name) => pickle('(', argument, `i${module}\n${name}\n.`),
  'INST without arguments': (module, name) => pickle(`(i${module}\n${name}\n.`),
  OBJ: (module, name) => pickle(`(c${module}\n${name}\n`, argument, 'o.'),
  NEWOBJ: (module, name) => pickle([0x80, 2], `c${module}\n${name}\n`, argument, [0x85, 0x81], '.'),
  'NEWOBJ without arguments': (module, name) => pickle([0x80, 2], `c${module}\n${name}\n)`, [0x81], '.'),
  NEWOBJ_EX: (module, name) => pickle([0x80, 4], `c${module}\n${name}\n)}`, argument, argument, 's', [0x92], '.'),
  'BUILD of a call': (module, name) => pickle(`c${module}\n${name}\n(`, argument, 'tR}', argument, 'I1\nsb.'),
  'BUILD of an instance': (module, name) =>
    pickle([0x80, 2], `c${module}\n${name}\n)`, [0x81], '}', argument, 'I1\nsb.'),
  'BUILD of the name': (module, name) => pickle(`c${module}\n${name}\n}`, argument, 'I1\nsb.'),
  'BUILD with __setstate__ in the state': (module, name) =>
    pickle(
      `ccopyreg\n_reconstructor\n(clab\nThing\ncbuiltins\nobject\nNtR}`,
      `S'__setstate__'\nc${module}\n${name}\nsb`,
      argument,
      'b.',
    ),
  'APPENDS to a call': (module, name) => pickle(`c${module}\n${name}\n)R(`, argument, 'e.'),
  'SETITEMS of a call': (module, name) => pickle(`c${module}\n${name}\n)R(`, argument, argument, 'u.'),
  '_reconstructor of the name': (module, name) =>
    pickle(`ccopyreg\n_reconstructor\n(c${module}\n${name}\ncbuiltins\nobject\nNtR.`),
  '_reconstructor onto the name': (module, name) =>
    pickle(`ccopyreg\n_reconstructor\n(clab\nThing\nc${module}\n${name}\n`, argument, 'tR.'),
  __newobj__: (module, name) => pickle(`ccopyreg\n__newobj__\n(c${module}\n${name}\n`, argument, 'tR.'),
  'a call inside a call': (module, name) => pickle(`cbuiltins\nlist\n((c${module}\n${name}\n(`, argument, 'tRttR.'),
  'a call of what a call gives': (module, name) => pickle(`c${module}\n${name}\n(`, argument, 'tR(', argument, 'tR.'),
  'a name from getattr': (module, name) =>
    pickle(`cbuiltins\ngetattr\n(c${module}\n${name}\nS'__call__'\ntR(`, argument, 'tR.'),
  'a factory of a defaultdict': (module, name) => pickle(`ccollections\ndefaultdict\n(c${module}\n${name}\ntR.`),
  'a type of a tensor': (module, name) =>
    pickle(`ctorch._tensor\n_rebuild_from_type_v2\n(c${module}\n${name}\nctorch\nTensor\n(`, argument, 't}tR.'),
  'a persistent id': (module, name) => pickle([0x80, 2], `c${module}\n${name}\n`, 'Q.'),
}

describe('nothing in a pickle is called', () => {
  for (const [way, make] of Object.entries(WAYS)) {
    test(way, async () => {
      for (const [module, qualname] of NAMES) {
        const name = `${module}.${qualname}`
        const bytes = make(module, qualname)
        const { value, foreign, end } = await openPickle(memorySource(bytes))
        expect(end, name).toBe(bytes.length)
        // Its letters are all that is there of it.
        const values = allValues(value)
        expect(
          foreign.map((known) => known.name),
          name,
        ).toContain(name)
        const shown = values.filter(
          (inner) =>
            (inner instanceof Placeholder && inner.name.includes(name)) ||
            (inner instanceof PyName && inner.name.includes(name)) ||
            (inner instanceof PyObject && inner.className === name),
        )
        // A factory is the only name that does not belong to what is shown: the dict is plain data without it.
        expect(shown.length > 0 || way === 'a factory of a defaultdict', name).toBe(true)
        const { json } = await readAsJson(bytes)
        if (way !== 'a factory of a defaultdict') expect(JSON.stringify(json)).toContain(name)
      }
    })
  }

  test('a call is shown with its name and arguments, and counted', async () => {
    const bytes = pickle("(dS'reward'\nF0.5\nsS'x'\ncos\nsystem\n(S'rm -rf /'\ntRsS'y'\ncos\nsystem\n(S'ls'\ntRs.")
    const { json, foreign } = await readAsJson(bytes)
    expect(json).toEqual({
      reward: 0.5,
      x: { kind: 'placeholder', name: 'os.system', args: ['rm -rf /'] },
      y: { kind: 'placeholder', name: 'os.system', args: ['ls'] },
    })
    expect(foreign).toEqual([{ name: 'os.system', calls: 2, objects: 0 }])
  })

  test('getattr of a name is a longer name, of anything else a call that is not made', async () => {
    const system = pickle("cbuiltins\ngetattr\n(cbuiltins\ngetattr\n(cos\npath\nS'os'\ntRS'system'\ntR(S'x'\ntR.")
    expect((await readAsJson(system)).json).toEqual({ kind: 'placeholder', name: 'os.path.os.system', args: ['x'] })
    const other = pickle("cbuiltins\ngetattr\n(S'text'\nS'format'\ntR.")
    const { json, foreign } = await readAsJson(other)
    expect(json).toEqual({ kind: 'placeholder', name: 'builtins.getattr', args: ['text', 'format'] })
    expect(foreign).toEqual([{ name: 'builtins.getattr', calls: 1, objects: 0 }])
  })

  test('a name that is known to make data makes none of other arguments', async () => {
    for (const [name, args] of [
      ['builtins\nbytearray', 'I1000000000\n'],
      ['builtins\nlist', 'I7\n'],
      ['builtins\nint', "S'9'\n"],
      ['_codecs\nencode', "S'x'\nS'rot13'\n"],
      ['torch._utils\n_rebuild_tensor_v2', 'I1\nI2\n'],
      ['numpy.core.multiarray\n_reconstruct', 'cnumpy\nmatrix\n'],
      ['numpy.core.multiarray\nscalar', 'I1\n'],
      ['torch.storage\n_load_from_bytes', 'I1\n'],
      ['tensordict._reductions\n_make_td', 'cos\nsystem\n}'],
      ['datetime\ndatetime', "S'0123456789'\n"],
      ['slime.utils.types\nSample.Status', 'I1\n'],
    ] as const) {
      const { json, foreign } = await readAsJson(pickle(`c${name}\n(${args}tR.`))
      expect(json, name).toMatchObject({ kind: 'placeholder', name: name.replace('\n', '.') })
      expect(
        foreign.some(({ calls }) => calls === 1),
        name,
      ).toBe(true)
    }
  })

  test('a torch file with a call in it', async () => {
    const bytes = fixture('torch/slime.rollout.pt')
    const text = new TextDecoder('latin1').decode(bytes)
    // As long as what it replaces: REDUCE of a name in place of the text of a response.
    const call = 'cos\nsystem\n(tR'
    const at = text.indexOf('X\x08\x00\x00\x00hi there')
    expect(at).toBeGreaterThan(0)
    for (let i = 0; i < 'X\x08\x00\x00\x00hi there'.length; i++) bytes[at + i] = `${call}`.padEnd(13, ' ').charCodeAt(i)
    bytes[at + 11] = 0x29
    bytes[at + 12] = 0x52
    const { foreign } = await openTorch(memorySource(bytes))
    expect(foreign).toEqual([{ name: 'os.system', calls: 1, objects: 0 }])
  })

  test('names are shown without what could mislead, and not without end', async () => {
    const hidden = pickle('c', new TextEncoder().encode('os\u202e\u0007'), '\nsystem\n.')
    const { foreign } = await readAsJson(hidden)
    expect(foreign[0]?.name).toBe('os\ufffd\ufffd.system')
    const many = pickle(...Array.from({ length: 1500 }, (_, i) => `clab\nC${i}\n0`), 'N.')
    const names = (await readAsJson(many)).foreign
    expect(names).toHaveLength(1001)
    expect(names[0]).toEqual({ name: '(further names)', calls: 0, objects: 0 })
    const long = pickle(`c${'a'.repeat(2000)}\nb\n.`)
    await expect(readAsJson(long)).rejects.toMatchObject({ code: 'bad-pickle', at: 0 })
  })
})
