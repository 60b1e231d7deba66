/** Parts of a dataset on the embedded store. */

import { embedded } from './store-under-test.ts'
import { partsOfADataset } from './parts-of-a-dataset.ts'

partsOfADataset('embedded', embedded)
