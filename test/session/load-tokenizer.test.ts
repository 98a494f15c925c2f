import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { loadTokenizer } from '../../shared/session/opening/load-tokenizer.ts'
import { writeCompact } from '../../shared/tokens/compact/write-compact.ts'
import type { BundledTokenizers } from '../../shared/tokens/tokenizer.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'

const QWEN = { kind: 'bundled', id: 'qwen2.5' } as const

function counting(bundled: BundledTokenizers) {
  const host = {
    loads: 0,
    bundled: (id: Parameters<BundledTokenizers>[0]) => {
      host.loads++
      return bundled(id)
    },
  }
  return host
}

describe('a bundled family', () => {
  it('is read once for all that ask, and again only when nobody used it any more', async () => {
    const written = writeCompact(await testTokenizerFiles('qwen2.5'))
    const host = counting(async () => written)
    const asked = () => loadTokenizer(QWEN, host.bundled)
    const [first, second] = await Promise.all([asked(), asked()])
    expect(first).toBe(second)
    expect(await asked()).toBe(first)
    expect(host.loads).toBe(1)
    // Used until here.
    expect(first?.encode(' river')).toHaveLength(1)

    const other = counting(async () => written)
    const collect = collector()
    const useOnce = async () => (await loadTokenizer(QWEN, other.bundled))?.table.size
    const size = await useOnce()
    await collect()
    expect(await useOnce()).toBe(size)
    expect(other.loads).toBe(2)
  })

  it('that could not be read is read when it is asked for again', async () => {
    const written = writeCompact(await testTokenizerFiles('qwen2.5'))
    const host = counting(async () => {
      if (host.loads === 1) throw new Error('the disk was asleep')
      return written
    })
    await expect(loadTokenizer(QWEN, host.bundled)).rejects.toThrow('the disk was asleep')
    expect((await loadTokenizer(QWEN, host.bundled))?.title).toBe('Qwen2.5')
  })
})

/** Collects what is garbage, once nothing of the present task holds on to it. */
function collector(): () => Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return async () => {
    await new Promise((next) => setImmediate(next))
    collect()
  }
}
