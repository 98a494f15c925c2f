import { describePlants } from './describe-plants.ts'
import { GROUP_PLANTS } from './plants/groups.ts'

describePlants(GROUP_PLANTS)
