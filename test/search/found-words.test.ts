/** What people type and what it finds. */

import { foundWordsContract } from './suite/found-words.ts'

foundWordsContract()
