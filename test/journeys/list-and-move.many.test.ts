/** The journey on the store that the platform brings along. */

import { embedded } from './store-under-test.ts'
import { listAndMove } from './list-and-move.ts'

listAndMove('embedded', embedded)
