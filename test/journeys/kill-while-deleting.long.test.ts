/** Deleting, killed and taken on again, on the embedded store. */

import { embedded } from './ground.ts'
import { deletingJourney } from './kill/deleting.ts'

deletingJourney('embedded', embedded)
