import { describePlants } from './describe-plants.ts'
import { MARKER_PLANTS } from './plants/markers.ts'
import { TEMPLATE_PLANTS } from './plants/template.ts'

describePlants([...TEMPLATE_PLANTS, ...MARKER_PLANTS])
