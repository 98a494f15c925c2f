import { describePlants } from './describe-plants.ts'
import { REPLY_PLANTS } from './plants/replies.ts'
import { TRUNCATION_PLANTS } from './plants/truncation.ts'

describePlants([...TRUNCATION_PLANTS, ...REPLY_PLANTS])
