import { areal } from './areal.ts'
import { arealBatch } from './areal-batch.ts'
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
import { openrlhf } from './openrlhf.ts'
import { primeRlBatch } from './prime-rl-batch.ts'
import { primeRlExport } from './prime-rl-export.ts'
import { primeRlTraces } from './prime-rl-traces.ts'
import { rllm } from './rllm.ts'
import { rllmEval } from './rllm-eval.ts'
import { roll } from './roll.ts'
import { rollBatch } from './roll-batch.ts'
import { skyrl } from './skyrl.ts'
import { skyrlEval } from './skyrl-eval.ts'
import { slime } from './slime.ts'
import { tinker } from './tinker.ts'
import { tinkerDatum } from './tinker-datum.ts'
import { trl } from './trl.ts'
import { trlAsync } from './trl-async.ts'
import { trlPacked } from './trl-packed.ts'
import { verifiersLegacy } from './verifiers-legacy.ts'
import { verifiersResults } from './verifiers-results.ts'
import { verifiersV1 } from './verifiers-v1.ts'
import { verl } from './verl.ts'
import { verlBatch } from './verl-batch.ts'

/** Every format, known trainers before the native format, whose aliases some of their files would fit as well. */
export const FORMATS: readonly Format[] = [
  arealBatch,
  atropos,
  axolotl,
  llamaFactory,
  nemoRl,
  nemoGym,
  openInstruct,
  openrlhf,
  primeRlBatch,
  primeRlExport,
  primeRlTraces,
  rllmEval,
  rollBatch,
  skyrl,
  slime,
  tinkerDatum,
  trlAsync,
  trlPacked,
  verifiersLegacy,
  verifiersResults,
  verifiersV1,
  verlBatch,
  areal,
  art,
  inspect,
  rllm,
  roll,
  skyrlEval,
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

/** Confidence by which a format must be surer than another one. Those that hold more than another's files are surer by more. */
const CLEARLY = 0.015

/**
 * The format that is surest of the sample, the earlier one in the table where two are equally sure; null where none is. Which others are as
 * sure stands in `rivals`: then a person has to say. The native format is no rival of a trainer's own, whose fields it knows as well.
 *
 * @param chosen id of the format that a person named, which reads the records where it knows them
 */
export function recogniseFormat(sample: Sample, chosen: string | null = null): RecognisedFormat | null {
  const found = FORMATS.flatMap((format): RecognisedFormat[] => {
    const recognition = format.recognise(sample)
    return recognition === null ? [] : [{ format, recognition }]
  })
  const named = found.find(({ format }) => format.id === chosen)
  if (named !== undefined) {
    const { format, recognition } = named
    return { format, recognition: { ...recognition, evidence: [...recognition.evidence, 'named by the person'] } }
  }
  const best = found.reduce<RecognisedFormat | null>(
    (surest, each) => (surest === null || each.recognition.confidence > surest.recognition.confidence ? each : surest),
    null,
  )
  if (best === null) return null
  const rivals = found.filter(
    ({ format, recognition }) =>
      format !== best.format &&
      format !== native &&
      best.format !== native &&
      recognition.confidence > best.recognition.confidence - CLEARLY,
  )
  if (rivals.length === 0) return best
  const ids = [best.format.id, ...rivals.map(({ format }) => format.id)]
  return { format: best.format, recognition: { ...best.recognition, rivals: ids } }
}

export function formatById(id: string): Format | null {
  return FORMATS.find((format) => format.id === id) ?? null
}
