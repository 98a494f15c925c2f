import { describePlants } from './describe-plants.ts'
import { ELSEWHERE_PLANTS } from './plants/elsewhere.ts'

describePlants(ELSEWHERE_PLANTS)
