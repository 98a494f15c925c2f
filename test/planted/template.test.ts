import { describePlants } from './describe-plants.ts'
import { TEMPLATE_PLANTS } from './plants/template.ts'

describePlants(TEMPLATE_PLANTS)
