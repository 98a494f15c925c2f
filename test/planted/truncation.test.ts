import { describePlants } from './describe-plants.ts'
import { TRUNCATION_PLANTS } from './plants/truncation.ts'

describePlants(TRUNCATION_PLANTS)
