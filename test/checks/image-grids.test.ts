import { expect, it } from 'vitest'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump, type PlantedDump } from '../planted/dump.ts'
import { replace } from '../planted/plants/like.ts'
import { type PlantedRollout, turnsBy } from '../planted/rollout.ts'
import { rollBatch, verlBatch } from '../planted/writers/batches.ts'
import { nativeLean } from '../planted/writers/native.ts'
import { slimeRollout, slimeTrain } from '../planted/writers/slime.ts'
import type { Writer } from '../planted/writers/writer.ts'

const [OPEN, CLOSE, IMAGE, VIDEO] = [151652, 151653, 151655, 151656]
const GRID = [1, 4, 6]
/** Placeholders that the grid makes. */
const DUE = 6

const put = (rollout: PlantedRollout, pad: number, placeholders: number) => {
  const at = turnsBy(rollout, 'user')[0]!.contentStart
  replace(rollout, at, at, [OPEN, ...Array.from({ length: placeholders }, () => pad), CLOSE])
}

/** Every question has an image, of which `placeholders` says how many each row kept. */
const dumpOf = (placeholders: (index: number) => number, video = false): Promise<PlantedDump> => {
  let index = 0
  return cleanDump('images', 'qwen2.5', {
    groups: 2,
    finish: (rollout) => {
      if (video) put(rollout, VIDEO, 4)
      put(rollout, IMAGE, placeholders(index++))
    },
  })
}

/** Puts what a processor made of the images where trainers keep it, at every sample of every record. */
const beside = (
  writer: Writer,
  key: string,
  rows: (record: Record<string, unknown>) => Record<string, unknown>[],
): Writer => ({
  ...writer,
  write: (dump) => {
    const written = writer.write(dump)
    const lines = written.text.trimEnd().split('\n')
    const records = lines.map((line) => {
      const record = JSON.parse(line) as Record<string, unknown>
      for (const row of rows(record)) row[key] = { pixel_values: [[0.5, 0.25]], image_grid_thw: [GRID] }
      return `${JSON.stringify(record)}\n`
    })
    return { ...written, text: records.join('') }
  },
})

const samples = (record: Record<string, unknown>) => record.samples as Record<string, unknown>[]
const columns = (record: Record<string, unknown>) => [record.non_tensor_batch as Record<string, unknown>]
const resultOf = async (dump: PlantedDump, writer: Writer) => {
  const audited = await audit(dump, writer)
  const codes = [...new Set(faultsOf(audited).flatMap(({ code, severity }) => (severity === 'error' ? [code] : [])))]
  return { codes, result: audited.report.checks.find(({ code }) => code === 'T19') }
}

it.each([
  ['slime-rollout', slimeRollout, 'multimodal_train_inputs', samples],
  ['slime-train', slimeTrain, 'multimodal_train_inputs', samples],
  ['verl-batch', verlBatch, 'multi_modal_inputs', columns],
  ['roll-batch', rollBatch, 'multi_modal_inputs', columns],
] as const)('grids among the processed images of %s tell what a row lacks', async (_, plain, key, rows) => {
  const writer = beside(plain, key, rows)
  const cut = await resultOf(await dumpOf((index) => (index === 5 ? DUE - 2 : DUE)), writer)
  expect(cut).toMatchObject({
    codes: expect.arrayContaining(['T19']),
    result: { status: 'fail', affected: 1, checked: 16 },
  })
  const twice = await resultOf(await dumpOf(() => 2 * DUE), writer)
  expect(twice).toMatchObject({ codes: ['T19'], result: { pattern: 'systematic', affected: 16 } })
  const whole = await resultOf(await dumpOf(() => DUE), writer)
  expect(whole).toMatchObject({ codes: [], result: { status: 'pass', checked: 16 } })
})

it('without grids, markers that pair up prove no count', async () => {
  const { codes, result } = await resultOf(await dumpOf(() => DUE - 2), nativeLean)
  expect(codes).toEqual([])
  expect(result).toMatchObject({ status: 'not-checkable', reason: expect.stringContaining('image_grid_thw') })
})

it('a video beside an image is none of the images that have grids', async () => {
  const writer = beside(slimeRollout, 'multimodal_train_inputs', samples)
  expect(await resultOf(await dumpOf(() => DUE, true), writer)).toMatchObject({ codes: [], result: { status: 'pass' } })
  const cut = await resultOf(await dumpOf(() => DUE - 1, true), writer)
  expect(cut).toMatchObject({ codes: ['T19'], result: { status: 'fail' } })
})
