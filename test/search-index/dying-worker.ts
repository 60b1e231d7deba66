/** A worker that echoes, dies or never answers, as it is told. */

import { serve } from '../../src/workers/serve.ts'
import type { ReaderCalls } from '../../src/search-index/sqlite/worker-messages.ts'

serve<Pick<ReaderCalls, 'get'>>({
  get: ({ id }) => {
    if (id === 'die') process.exit(3)
    for (;;) if (id !== 'hang') return id
  },
})
