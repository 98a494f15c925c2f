import type { Check } from '../check.ts'
import { advantageExplosion } from './advantage-explosion.ts'
import { allSameReward } from './all-same-reward.ts'
import { tinyStdAmplified } from './tiny-std-amplified.ts'

export const GROUP_CHECKS: readonly Check[] = [allSameReward, tinyStdAmplified, advantageExplosion]
