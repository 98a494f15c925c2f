import { describePlants } from './describe-plants.ts'
import { LOGPROB_PLANTS } from './plants/logprobs.ts'

describePlants(LOGPROB_PLANTS)
