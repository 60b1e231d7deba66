/** Child process of the kill test: writes call after call and says after each that it was acknowledged. */

import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { content, record } from './graphs.ts'

const store = await embeddedStore({ directory: process.argv[2] ?? '', log: logger('silent') })
const [row] = await store.select(
  'SELECT (MAX(?n) AS ?last) { GRAPH <urn:test:catalogue> { ?s <urn:test:number> ?n } }',
)
for (let n = Number(row?.['last']?.value ?? 0) + 1; ; n += 1) {
  const hot = Array.from({ length: 40 }, (_, p) => `<urn:test:hot> <urn:test:p${p}> "${n}" .`)
  const number = `"${n}"^^<http://www.w3.org/2001/XMLSchema#integer>`
  await store.write([
    { graph: `urn:test:graph:${n}`, content: record(40, String(n)) },
    { graph: 'urn:test:hot', content: content(hot) },
    { graph: 'urn:test:catalogue', add: [`<urn:test:graph:${n}> <urn:test:number> ${number} .`] },
  ])
  process.send?.({ acknowledged: n })
}
