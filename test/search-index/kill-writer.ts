/** A process that writes batches until it is killed, one line per acknowledged batch. */

import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { logger } from '../../src/log.ts'
import { configured, documentOf, languages } from '../contracts/search-index-corpus.ts'

const [, , directory = '', first = '0', size = '200'] = process.argv
const index = await embeddedIndex({ directory, log: logger('silent'), languages })
await configured(index)
for (let batch = Number(first); ; batch++) {
  await index.write(
    Array.from({ length: Number(size) }, (_, i) => ({
      put: documentOf({
        index: 'dataset',
        id: `r-${batch}-${i}`,
        text: { title: { en: [`batch${batch} record${i}`] } },
        facets: { format: ['CSV'], publisher: [`p${i}`] },
      }),
    })),
  )
  process.stdout.write(`${batch}\n`)
}
