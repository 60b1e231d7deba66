/** A process that rebuilds an index again and again until it is killed; one line per swap. */

import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { logger } from '../../src/log.ts'
import { documentOf, languages, settings } from '../contracts/search-index-corpus.ts'

const [, , directory = '', first = '0', size = '300'] = process.argv
const index = await embeddedIndex({ directory, log: logger('silent'), languages })
for (let basis = Number(first); ; basis++) {
  const { rebuild } = await index.configure(settings.map((one) => ({ ...one, basis: `${basis}` })))
  for (let at = 0; at < Number(size); at += 50) {
    const ids = Array.from({ length: 50 }, (_, i) => `r-${at + i}`)
    await index.write(
      (await index.missingIds('dataset', ids)).map((id) => ({
        put: documentOf({ index: 'dataset', id, version: 0, text: { title: { en: ['kept'] } } }),
        onlyIfMissing: true,
      })),
    )
  }
  for (const name of rebuild) await index.finish(name)
  process.stdout.write(`${basis}\n`)
}
