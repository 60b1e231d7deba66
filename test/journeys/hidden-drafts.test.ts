/** Drafts beside the store that the platform brings along. */

import { hiddenDrafts } from './hidden-drafts.ts'
import { embedded } from './store-under-test.ts'

hiddenDrafts('the embedded store', embedded)
