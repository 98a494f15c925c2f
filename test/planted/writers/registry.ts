import type { Random } from '../../../samples/random.ts'
import type { Padding } from '../dump.ts'
import { atropos } from './atropos.ts'
import { native, nativeLean } from './native.ts'
import { nemoGym } from './nemo-gym.ts'
import { nemoRl } from './nemo-rl.ts'
import { primeRlExport } from './prime-rl-export.ts'
import { verifiersLegacy } from './verifiers-legacy.ts'
import type { Writer } from './writer.ts'

export const WRITERS = [
  native,
  nativeLean,
  nemoRl,
  atropos,
  verifiersLegacy,
  nemoGym,
  primeRlExport,
] as const satisfies readonly Writer[]

export type FormatName = (typeof WRITERS)[number]['format']

export function writerOf(format: FormatName): Writer {
  return WRITERS.find((each) => each.format === format) as Writer
}

/** How the writer of a format pads its rows; the native format leaves it open. */
export function paddingFor(format: FormatName, random: Random): Padding {
  if (format === 'nemo-rl') return 'right'
  return format === 'native' || format === 'native-lean' ? random.pick(['none', 'right', 'left']) : 'none'
}
