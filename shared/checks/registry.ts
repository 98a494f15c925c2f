import type { Check } from './check.ts'
import { GROUP_CHECKS } from './groups/index.ts'
import { S06 } from './layout/branches.ts'
import { duplicates } from './layout/duplicates.ts'
import { S01 } from './layout/packing.ts'
import { S02 } from './layout/positions.ts'
import { S05 } from './layout/prompt-split.ts'
import { S03 } from './layout/shapes.ts'
import { LOGPROB_CHECKS } from './logprobs/index.ts'
import { M04 } from './mask/all-zero.ts'
import { M14 } from './mask/appended-token-trained.ts'
import { M03 } from './mask/assistant-masked.ts'
import { M15 } from './mask/attention-is-loss-mask.ts'
import { M18 } from './mask/credit-ignores-mask.ts'
import { M17 } from './mask/cut-reply-trained.ts'
import { M07 } from './mask/drift-by-prefill.ts'
import { M10 } from './mask/end-not-trained.ts'
import { M08 } from './mask/header-trained.ts'
import { M02 } from './mask/inverted.ts'
import { M13 } from './mask/pad-is-end.ts'
import { M12 } from './mask/padding-trained.ts'
import { M09 } from './mask/prefill-trained.ts'
import { M05 } from './mask/runs-to-end.ts'
import { M11 } from './mask/separator-trained.ts'
import { M06 } from './mask/shifted.ts'
import { M16 } from './mask/think-masked.ts'
import { M01 } from './mask/tool-output-trained.ts'
import { T12 } from './template/call-reserialised.ts'
import { T14 } from './template/date.ts'
import { T01 } from './template/double-bos.ts'
import { T08 } from './template/empty-tools.ts'
import { T15 } from './template/forged-control.ts'
import { T05 } from './template/header-missing.ts'
import { T19 } from './template/image-placeholders.ts'
import { T13 } from './template/llama-call-rewritten.ts'
import { T16 } from './template/marker-spelt.ts'
import { T03 } from './template/mask-drifts.ts'
import { T18 } from './template/merged-newline.ts'
import { T11 } from './template/replies-split.ts'
import { T06 } from './template/role-repeated.ts'
import { T04 } from './template/separator-lost.ts'
import { T09 } from './template/system-prompt.ts'
import { T10 } from './template/thinking-stripped.ts'
import { T02 } from './template/tokens-reencoded.ts'
import { T07 } from './template/tools-missing.ts'
import { T17 } from './template/wrong-tokenizer.ts'
import { TRUNCATION_CHECKS } from './truncation/index.ts'

/** Every check there is, by code. A new one is a file, a line here and a fixture (docs/adding-a-check.md). */
export const CHECKS: readonly Check[] = [
  ...[M01, M02, M03, M04, M05, M06, M08, M09, M10, M11, M12, M15],
  ...[M07, M13, M14, M16, M17, M18],
  ...[T01, T04, T05, T07],
  ...[T03, T06, T08, T09, T14, T15, T16, T17, T18, T19],
  ...[T02, T10, T11, T12, T13],
  ...TRUNCATION_CHECKS,
  ...GROUP_CHECKS,
  ...LOGPROB_CHECKS,
  ...[S01, S02, S03, duplicates, S05, S06],
].sort((a, b) => (a.code < b.code ? -1 : 1))

export function checkByCode(code: string): Check | null {
  return CHECKS.find((check) => check.code === code) ?? null
}
