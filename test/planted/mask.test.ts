import { describePlants } from './describe-plants.ts'
import { MASK_PLANTS } from './plants/mask.ts'
import { MASK_END_PLANTS } from './plants/mask-ends.ts'
import { MASK_SHIFT_PLANTS } from './plants/mask-shifts.ts'

describePlants([...MASK_PLANTS, ...MASK_SHIFT_PLANTS, ...MASK_END_PLANTS])
