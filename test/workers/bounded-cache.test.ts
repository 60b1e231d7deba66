import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { metrics } from '../../src/http/metrics.ts'
import { BoundedCache, lookupsOf } from '../../src/workers/bounded-cache.ts'

test('the entries that were used last stay', () => {
  const cache = new BoundedCache<number>('catalogues', 2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => cache.peek(key))).toEqual([1, undefined, 3])
})

test('what a worker looks up is counted as well, and /metrics has it', async () => {
  const before = lookupsOf('search-sets')
  const code = `
    import { BoundedCache } from '${new URL('../../src/workers/bounded-cache.ts', import.meta.url).href}'
    const cache = new BoundedCache('search-sets', 1)
    cache.get('a')
    cache.set('a', 1)
    cache.get('a')
    cache.get('a', () => false)
  `
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
  await once(worker, 'exit')
  const { hits, misses } = lookupsOf('search-sets')
  expect({ hits: hits - before.hits, misses: misses - before.misses }).toEqual({
    hits: 1,
    misses: 2,
  })
  expect(await metrics().registry.metrics()).toContain(
    `cartulary_cache_misses_total{cache="search-sets"} ${misses}`,
  )
})
