/** The journey on the store that the platform brings along. */

import { embedded } from './ground.ts'
import { listAndMove } from './list-and-move.ts'

listAndMove('embedded', embedded)
