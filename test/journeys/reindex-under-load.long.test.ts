/** Filling anew under load, on the embedded engine. */

import { embedded } from './store-under-test.ts'
import { reindexUnderLoad, usualLoad } from './reindex-under-load.ts'

reindexUnderLoad('the embedded engine', embedded, usualLoad(600))
