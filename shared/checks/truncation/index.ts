import type { Check } from '../check.ts'
import { cutAsParseError } from './cut-as-parse-error.ts'
import { cutCompletionTrained } from './cut-completion-trained.ts'
import { cutToolCall } from './cut-tool-call.ts'
import { documentsCut } from './documents-cut.ts'
import { evidenceLost } from './evidence-lost.ts'
import { flagWrong } from './flag-wrong.ts'
import { limitPerTurn } from './limit-per-turn.ts'
import { maskedRowsCounted } from './masked-rows-counted.ts'
import { nothingLeft } from './nothing-left.ts'
import { promptCutLeft } from './prompt-cut-left.ts'
import { promptCutRight } from './prompt-cut-right.ts'
import { rewardForCutText } from './reward-for-cut-text.ts'
import { rowsDropped } from './rows-dropped.ts'
import { schemaNotCounted } from './schema-not-counted.ts'

export const TRUNCATION_CHECKS: readonly Check[] = [
  promptCutLeft,
  promptCutRight,
  cutCompletionTrained,
  maskedRowsCounted,
  flagWrong,
  cutAsParseError,
  cutToolCall,
  documentsCut,
  evidenceLost,
  schemaNotCounted,
  rowsDropped,
  rewardForCutText,
  limitPerTurn,
  nothingLeft,
]
