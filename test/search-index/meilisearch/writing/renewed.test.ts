/** A server that comes back without its data: it is configured again, and nothing that was known of it is believed. */

import { expect, it } from 'vitest'
import { EngineWriter } from '../../../../src/search-index/meilisearch/engine-writer.ts'
import { RecoveringWriter } from '../../../../src/search-index/remote/recovering-writer.ts'
import {
  hasLostData,
  refusalFailure,
} from '../../../../src/search-index/meilisearch/engine-client.ts'
import { Failure } from '../../../../src/errors.ts'
import { fake } from './fake.ts'

const missing = () =>
  refusalFailure(404, JSON.stringify({ code: 'index_not_found', message: 'none' }))

/** `fails` is thrown by the first write of the first writer. */
function renewing(fails: () => Error, configured: (() => Promise<void>)[] = []) {
  const { client, uids } = fake()
  const opened: EngineWriter[] = []
  const calls = { configured: 0, certain: 0 }
  const writer = new RecoveringWriter({
    open: () => {
      const isFirst = opened.length === 0
      const one = new EngineWriter({
        client,
        uids,
        waitForTasks: () => Promise.resolve(),
        searched: () => {
          if (isFirst) throw fails()
          return new Map()
        },
        beforeWrite: () => Promise.resolve(() => undefined),
      })
      opened.push(one)
      return one
    },
    hasLostData,
    resolveUncertainty: async () => void calls.certain++,
    configure: async () => {
      calls.configured += 1
      await configured.shift()?.()
    },
  })
  const change = { remove: { index: 'dataset', id: 'a', version: 1 } } as const
  return { writer, opened, calls, write: () => writer.write([change]) }
}

it('a write that finds an index missing fails as unavailable, and a new writer goes on', async () => {
  const { writer, opened, calls, write } = renewing(missing)
  await expect(write()).rejects.toMatchObject({ kind: 'engine-unavailable' })
  expect(calls.configured).toBe(1)
  expect(opened).toHaveLength(2)
  expect(writer.current).toBe(opened[1])
})

it('the server is configured before the next write where that failed at first', async () => {
  const away = () => Promise.reject(new Failure('engine-unavailable', 'away'))
  const { calls, write } = renewing(missing, [away, away])
  await expect(write()).rejects.toThrow('away')
  await expect(write()).rejects.toThrow('away')
  expect(calls).toEqual({ configured: 2, certain: 1 })
  // The double has no index, which says that it was asked.
  await expect(write()).rejects.toThrow('not configured')
  expect(calls).toEqual({ configured: 3, certain: 2 })
})

it('any other failure of a write changes nothing', async () => {
  const { opened, calls, write } = renewing(() => new Failure('internal', 'refused'))
  await expect(write()).rejects.toThrow('refused')
  expect(opened).toHaveLength(1)
  expect(calls.configured).toBe(0)
})
