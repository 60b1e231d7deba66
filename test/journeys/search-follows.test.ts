/** Search follows the repository, on the embedded engine. */

import { embedded } from './store-under-test.ts'
import { searchFollows } from './search-follows.ts'

searchFollows('the embedded engine', embedded)
