import { describePlants } from './describe-plants.ts'
import { MASK_PLANTS } from './plants/mask.ts'

describePlants(MASK_PLANTS)
