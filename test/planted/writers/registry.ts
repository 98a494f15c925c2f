import type { Random } from '../../../samples/random.ts'
import type { Padding } from '../dump.ts'
import { atropos } from './atropos.ts'
import { rollBatch, skyrl, verlBatch } from './batches.ts'
import { native, nativeLean } from './native.ts'
import { nemoGym } from './nemo-gym.ts'
import { nemoRl } from './nemo-rl.ts'
import { primeRlExport } from './prime-rl-export.ts'
import { arealBatch, openrlhf, tinkerDatum, trlAsync } from './rows.ts'
import { slimeRollout, slimeTrain } from './slime.ts'
import { verifiersLegacy } from './verifiers-legacy.ts'
import { verifiersV1 } from './verifiers-v1.ts'
import type { Writer } from './writer.ts'

export const WRITERS = [
  native,
  nativeLean,
  nemoRl,
  atropos,
  verifiersLegacy,
  nemoGym,
  primeRlExport,
  verlBatch,
  openrlhf,
  arealBatch,
  trlAsync,
] as const satisfies readonly Writer[]

/** Formats that hold what few others do: drawn for clean dumps, and for the plants that name them (`alsoIn`) alone. */
export const SPECIAL_WRITERS = [
  slimeRollout,
  slimeTrain,
  skyrl,
  rollBatch,
  verifiersV1,
  tinkerDatum,
] as const satisfies readonly Writer[]

export type FormatName = (typeof WRITERS | typeof SPECIAL_WRITERS)[number]['format']

export function writerOf(format: FormatName): Writer {
  return [...WRITERS, ...SPECIAL_WRITERS].find((each) => each.format === format) as Writer
}

/** How the writer of a format pads its rows; the native format leaves it open. */
export function paddingFor(format: FormatName, random: Random): Padding {
  if (format === 'nemo-rl') return 'right'
  return format === 'native' || format === 'native-lean' ? random.pick(['none', 'right', 'left']) : 'none'
}
