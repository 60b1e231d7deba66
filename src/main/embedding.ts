/** Opens the search engine, and the embedder that the configuration names, which makes vectors of records and queries. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../log.ts'
import { connectEmbedder } from '../search-index/embedding/embedder.ts'
import { QueryMeanings } from '../search-index/embedding/query-meanings.ts'
import { RecordVectors } from '../search-index/embedding/record-vectors.ts'
import { VectorFile } from '../search-index/embedding/vector-file.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { pause } from '../workers/pause.ts'
import { openIndex } from './search-engine.ts'

type SearchContext = { readonly config: Config; readonly log: Log; readonly numbers: Metrics }

/**
 * Opens the engine, and over it the embedder; `embedding` is absent where none is configured. Closing the index closes both. Rejects
 * as `openIndex`, and when the file of vectors cannot be opened.
 */
export async function openSearch(context: SearchContext) {
  const index = await openIndex(context.config, context.log)
  return context.config.embedder
    ? openEmbedding(context, context.config.embedder, index)
    : { index, embedding: undefined }
}

function openEmbedding(
  { config, log, numbers }: SearchContext,
  settings: NonNullable<Config['embedder']>,
  index: SearchIndex,
) {
  const now = () => performance.now()
  const file = new VectorFile(join(config.dataDir, 'search', 'vectors.db'))
  const knownDimensions = file.dimensionsOf(settings.model)
  const embedder = connectEmbedder({ settings, knownDimensions, log, pause, now })
  const { called, queried } = numbers.embedder()
  const shared = { embedder, settings, log, pause, now }
  const onCall = (isAnswered: boolean) => called('records', isAnswered)
  const isReader = config.writerUrls.length > 0
  const records = isReader
    ? undefined
    : new RecordVectors({ ...shared, index, file, date: Date.now, onCall })
  const waiting = 'Records whose vectors are to be compared or made.'
  if (records) numbers.gauge('cartulary_embedder_waiting_texts', waiting, () => records.waiting)
  const onQuery = (ms: number, isAnswered: boolean) => {
    called('queries', isAnswered)
    queried(ms / 1000)
  }
  const queries = new QueryMeanings({ ...shared, onQuery })
  const close = async () => {
    await Promise.all([records?.stop(), queries.stop()])
    await embedder.close()
    file.close()
    await index.close()
  }
  return {
    index: { ...index, ...(records && notingCalls(index, records)), close },
    embedding: {
      meaningOf: (q: string, signal: AbortSignal) => queries.meaningOf(q, signal),
      /** State for `/health`. */
      health: () => (queries.isAway || records?.isAway === true ? 'away' : 'up'),
    },
  }
}

/** Calls that note the records that are written, and all when the index is configured or was filled. */
const notingCalls = (
  index: SearchIndex,
  records: RecordVectors,
): Pick<SearchIndex, 'configure' | 'write' | 'finish'> => ({
  configure: async (...settings) => {
    const state = await index.configure(...settings)
    records.compareAll()
    return state
  },
  write: async (changes, signal) => {
    await index.write(changes, signal)
    records.offer(changes.flatMap((change) => ('put' in change ? [change.put] : [])))
  },
  finish: async (name) => {
    await index.finish(name)
    records.compareAll()
  },
})
