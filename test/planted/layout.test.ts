import { describePlants } from './describe-plants.ts'
import { LAYOUT_PLANTS } from './plants/layout.ts'

describePlants(LAYOUT_PLANTS)
