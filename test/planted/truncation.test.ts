import { describePlants } from './describe-plants.ts'
import { PROMPT_CUT_PLANTS } from './plants/prompt-cuts.ts'
import { REPLY_PLANTS } from './plants/replies.ts'
import { TRUNCATION_PLANTS } from './plants/truncation.ts'

describePlants([...PROMPT_CUT_PLANTS, ...TRUNCATION_PLANTS, ...REPLY_PLANTS])
