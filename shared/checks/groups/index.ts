import type { Check } from '../check.ts'
import { advantageExplosion } from './advantage-explosion.ts'
import { advantageMismatch } from './advantage-mismatch.ts'
import { allSameReward } from './all-same-reward.ts'
import { componentConflict } from './component-conflict.ts'
import { duplicateCompletions } from './duplicate-completions.ts'
import { groupMixed } from './group-mixed.ts'
import { lengthBias } from './length-bias.ts'
import { reportedLength } from './reported-length.ts'
import { rewardMissing } from './reward-missing.ts'
import { rewardOnOtherText } from './reward-on-other-text.ts'
import { tinyStdAmplified } from './tiny-std-amplified.ts'
import { unevenAdvantage } from './uneven-advantage.ts'

export const GROUP_CHECKS: readonly Check[] = [
  allSameReward,
  tinyStdAmplified,
  advantageExplosion,
  advantageMismatch,
  groupMixed,
  duplicateCompletions,
  lengthBias,
  reportedLength,
  componentConflict,
  rewardMissing,
  rewardOnOtherText,
  unevenAdvantage,
]
