/** A worker that echoes, dies or never answers, as it is told. */

import { parentPort } from 'node:worker_threads'
import { serve } from '../../src/search-index/embedded/threads/serve.ts'

const calls = {
  get: ({ id }: { id: string }) => {
    if (id === 'die') process.exit(3)
    for (;;) if (id !== 'hang') return id
  },
  close: () => undefined,
}

if (parentPort) serve(parentPort, calls)
