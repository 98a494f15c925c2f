import type { Check } from './check.ts'
import { GROUP_CHECKS } from './groups/index.ts'
import { duplicates } from './layout/duplicates.ts'
import { S03 } from './layout/shapes.ts'
import { M04 } from './mask/all-zero.ts'
import { M03 } from './mask/assistant-masked.ts'
import { M15 } from './mask/attention-is-loss-mask.ts'
import { M10 } from './mask/end-not-trained.ts'
import { M08 } from './mask/header-trained.ts'
import { M02 } from './mask/inverted.ts'
import { M12 } from './mask/padding-trained.ts'
import { M09 } from './mask/prefill-trained.ts'
import { M05 } from './mask/runs-to-end.ts'
import { M11 } from './mask/separator-trained.ts'
import { M06 } from './mask/shifted.ts'
import { M01 } from './mask/tool-output-trained.ts'
import { T12 } from './template/call-reserialised.ts'
import { T01 } from './template/double-bos.ts'
import { T05 } from './template/header-missing.ts'
import { T13 } from './template/llama-call-rewritten.ts'
import { T11 } from './template/replies-split.ts'
import { T04 } from './template/separator-lost.ts'
import { T10 } from './template/thinking-stripped.ts'
import { T02 } from './template/tokens-reencoded.ts'
import { T07 } from './template/tools-missing.ts'
import { TRUNCATION_CHECKS } from './truncation/index.ts'

/** Every check there is, by code. A new one is a file, a line here and a fixture (docs/adding-a-check.md). */
export const CHECKS: readonly Check[] = [
  ...[M01, M02, M03, M04, M05, M06, M08, M09, M10, M11, M12, M15],
  ...[T01, T04, T05, T07],
  ...[T02, T10, T11, T12, T13],
  ...TRUNCATION_CHECKS,
  ...GROUP_CHECKS,
  ...[S03, duplicates],
].sort((a, b) => (a.code < b.code ? -1 : 1))

export function checkByCode(code: string): Check | null {
  return CHECKS.find((check) => check.code === code) ?? null
}
