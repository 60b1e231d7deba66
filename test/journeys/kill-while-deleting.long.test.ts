/** Deleting, killed and taken on again, on the embedded store. */

import { embedded } from './store-under-test.ts'
import { deletingJourney } from './kill/deleting.ts'

deletingJourney('embedded', embedded)
