/** Child process of the kill test of streams: replaces one large graph again and again and says after each that it was acknowledged. */

import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { streamed, streamedFact, streamedGraph } from './streamed.ts'

const store = await embeddedStore({ directory: process.argv[2] ?? '', log: logger('silent') })
const text = (await store.read('urn:test:facts')) ?? ''
const facts = text.split('\n').filter((line) => line !== '')
for (let n = facts.length + 1; ; n += 1) {
  const facts = { graph: 'urn:test:facts', add: [streamedFact(n)] }
  process.send?.({ began: n })
  await store.write([{ graph: streamedGraph, content: streamed(n) }, facts])
  process.send?.({ acknowledged: n })
}
