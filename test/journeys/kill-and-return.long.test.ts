/** Kill and return on the embedded store. */

import { embedded } from './ground.ts'
import { killJourney } from './kill/journey.ts'

killJourney('embedded', embedded)
