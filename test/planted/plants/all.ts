import type { Plant } from '../plant.ts'
import { GROUP_PLANTS } from './groups.ts'
import { LAYOUT_PLANTS } from './layout.ts'
import { LOGPROB_PLANTS } from './logprobs.ts'
import { MARKER_PLANTS } from './markers.ts'
import { MASK_PLANTS } from './mask.ts'
import { MASK_END_PLANTS } from './mask-ends.ts'
import { MASK_SHIFT_PLANTS } from './mask-shifts.ts'
import { PROMPT_CUT_PLANTS } from './prompt-cuts.ts'
import { REPLY_PLANTS } from './replies.ts'
import { TEMPLATE_PLANTS } from './template.ts'
import { TRUNCATION_PLANTS } from './truncation.ts'
import { VERSION_AND_KL_PLANTS } from './versions-and-kl.ts'

/** All but the defects, which are several codes each. */
export const PLANTS: readonly Plant[] = [
  ...MASK_PLANTS,
  ...MASK_SHIFT_PLANTS,
  ...MASK_END_PLANTS,
  ...TEMPLATE_PLANTS,
  ...MARKER_PLANTS,
  ...PROMPT_CUT_PLANTS,
  ...TRUNCATION_PLANTS,
  ...REPLY_PLANTS,
  ...GROUP_PLANTS,
  ...LOGPROB_PLANTS,
  ...VERSION_AND_KL_PLANTS,
  ...LAYOUT_PLANTS,
]
