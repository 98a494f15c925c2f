import { areal } from './areal.ts'
import { art } from './art.ts'
import { atropos } from './atropos.ts'
import { axolotl } from './axolotl.ts'
import type { Format, Recognition, Sample } from './format.ts'
import { inspect } from './inspect.ts'
import { llamaFactory } from './llama-factory.ts'
import { native } from './native.ts'
import { nemoGym } from './nemo-gym.ts'
import { nemoRl } from './nemo-rl.ts'
import { openInstruct } from './open-instruct.ts'
import { primeRlBatch } from './prime-rl-batch.ts'
import { primeRlExport } from './prime-rl-export.ts'
import { primeRlTraces } from './prime-rl-traces.ts'
import { rllm } from './rllm.ts'
import { rllmEval } from './rllm-eval.ts'
import { skyrl } from './skyrl.ts'
import { slime } from './slime.ts'
import { tinker } from './tinker.ts'
import { trl } from './trl.ts'
import { verifiersLegacy } from './verifiers-legacy.ts'
import { verifiersResults } from './verifiers-results.ts'
import { verifiersV1 } from './verifiers-v1.ts'
import { verl } from './verl.ts'
import { verlBatch } from './verl-batch.ts'

/** Every format, known trainers before the native format, whose aliases some of their files would fit as well. */
export const FORMATS: readonly Format[] = [
  atropos,
  axolotl,
  llamaFactory,
  nemoRl,
  nemoGym,
  openInstruct,
  primeRlBatch,
  primeRlExport,
  primeRlTraces,
  rllmEval,
  skyrl,
  slime,
  verifiersLegacy,
  verifiersResults,
  verifiersV1,
  verlBatch,
  areal,
  art,
  inspect,
  rllm,
  tinker,
  trl,
  verl,
  native,
]

/** Keys under which any format keeps numbers token by token. */
export const allNumericKeys: ReadonlySet<string> = new Set(FORMATS.flatMap(({ numericKeys }) => numericKeys))

export interface RecognisedFormat {
  readonly format: Format
  readonly recognition: Recognition
}

/** The format that is surest of the sample, the earlier one in the table where two are equally sure; null where none is. */
export function recogniseFormat(sample: Sample): RecognisedFormat | null {
  let best: RecognisedFormat | null = null
  for (const format of FORMATS) {
    const recognition = format.recognise(sample)
    if (recognition !== null && (best === null || recognition.confidence > best.recognition.confidence)) {
      best = { format, recognition }
    }
  }
  return best
}

export function formatById(id: string): Format | null {
  return FORMATS.find((format) => format.id === id) ?? null
}
