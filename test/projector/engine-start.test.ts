/** A search engine that is not there at the start: it is looked for, configured and filled when it comes. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import type { IndexName } from '../../src/search-index/index-settings.ts'
import { logger } from '../../src/log.ts'
import { configureEngine, EngineStart } from '../../src/projector/engine-start.ts'
import { settings } from '../contracts/search-index-corpus.ts'

const log = logger('silent')
const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Only what a start asks of an engine: it fails so many times, each time as told. */
function failing(times: number, kind: 'engine-unavailable' | 'internal') {
  let left = times
  const index: Pick<SearchIndex, 'configure' | 'newestVersion'> = {
    configure: () =>
      left-- > 0
        ? Promise.reject(new Failure(kind, 'not now'))
        : Promise.resolve({ rebuild: ['dataset'] }),
    newestVersion: () => Promise.resolve(7),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest is not asked for
  return index as SearchIndex
}

function started(index: SearchIndex) {
  const told: { filled: IndexName[][]; newest: number[] } = { filled: [], newest: [] }
  const fill = (indices: readonly IndexName[]) => {
    told.filled.push([...indices])
    return { rebuilding: () => [], filled: () => 0, stop: () => Promise.resolve() }
  }
  const onReached = (newest: number) => void told.newest.push(newest)
  const start = async () => {
    const first = await configureEngine({ index, log }, settings)
    return {
      first,
      engine: new EngineStart({ index, log, pause, fill, onReached }, settings, first),
    }
  }
  return { told, start }
}

describe('the start of a search engine', () => {
  it('fills what the engine asks for when it is there', async () => {
    const { told, start } = started(failing(0, 'engine-unavailable'))
    const { first, engine } = await start()
    expect(first).toEqual({ rebuild: ['dataset'], newestVersion: 7 })
    expect([engine.rebuilding(), told]).toEqual([[], { filled: [['dataset']], newest: [] }])
    await engine.stop()
  })

  it('does not wait for one that is away, and fills it when it has come', async () => {
    const { told, start } = started(failing(3, 'engine-unavailable'))
    const { first, engine } = await start()
    expect([first, engine.rebuilding()]).toEqual([undefined, undefined])
    await expect.poll(() => engine.rebuilding()).toEqual([])
    expect(told).toEqual({ filled: [['dataset']], newest: [7] })
    await engine.stop()
  })

  it('ends with an engine that cannot be used at all', async () => {
    const { start } = started(failing(1, 'internal'))
    await expect(start()).rejects.toThrow('not now')
  })

  it('can be stopped while the engine is away', async () => {
    const { told, start } = started(failing(Infinity, 'engine-unavailable'))
    const { engine } = await start()
    await engine.stop()
    expect(told.filled).toEqual([])
  })
})
