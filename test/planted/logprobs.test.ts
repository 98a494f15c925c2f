import { describePlants } from './describe-plants.ts'
import { LOGPROB_PLANTS } from './plants/logprobs.ts'
import { VERSION_AND_KL_PLANTS } from './plants/versions-and-kl.ts'

describePlants([...LOGPROB_PLANTS, ...VERSION_AND_KL_PLANTS])
