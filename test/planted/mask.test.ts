import { describePlants } from './describe-plants.ts'
import { MASK_PLANTS } from './plants/mask.ts'
import { MASK_END_PLANTS } from './plants/mask-ends.ts'

describePlants([...MASK_PLANTS, ...MASK_END_PLANTS])
