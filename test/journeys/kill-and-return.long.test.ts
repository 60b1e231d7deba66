/** Kill and return on the embedded store. */

import { embedded } from './store-under-test.ts'
import { killJourney } from './kill/journey.ts'

killJourney('embedded', embedded)
