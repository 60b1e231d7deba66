/** Writing to Meilisearch: the rules of versions, the dictionaries before the records, what happens when a step fails. */

import { beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../../src/errors.ts'
import type {
  SearchedGeneration,
  EngineGeneration,
} from '../../../../src/search-index/remote/generation.ts'
import { EngineWriter } from '../../../../src/search-index/meilisearch/engine-writer.ts'
import type { IndexChange } from '../../../../src/search-index/search-index.ts'
import {
  documentOf,
  documents,
  languages,
  settings,
  type Sample,
} from '../../../contracts/search-index-corpus.ts'
import { fake, type Fake } from './fake.ts'

const held = (uid: string): EngineGeneration => ({
  uid,
  instance: uid,
  number: 1,
  signature: '',
  settings: settings[0]!,
  languages,
  isComplete: true,
})
const put = (sample: Partial<Sample> & { id: string }): IndexChange => ({
  put: documentOf({ index: 'dataset', ...sample }),
})
const filling = (sample: Partial<Sample> & { id: string }): IndexChange => ({
  ...put({ version: 0, ...sample }),
  onlyIfMissing: true,
})
const remove = (id: string, version: number): IndexChange => ({
  remove: { index: 'dataset', id, version },
})
const words = (text: string) => ({ title: { en: [text] } })

let engine: Fake
let answering: SearchedGeneration
let writer: EngineWriter
let told: string[]
const start = () => {
  told = []
  writer = new EngineWriter({
    client: engine.client,
    uids: engine.uids,
    waitForTasks: () => Promise.resolve(),
    searched: () => new Map([['dataset', answering]]),
    beforeWrite: (uid, keys) => {
      told.push(`${uid}: ${keys.join(' ')}`)
      return Promise.resolve(() => void told.push('done'))
    },
  })
}
beforeEach(() => {
  engine = fake()
  answering = { ...held('dataset'), isComplete: true }
  start()
})
const versions = (uid = 'dataset') =>
  Object.fromEntries([...engine.documents(uid).values()].map((one) => [one['i'], one['version']]))
const numbers = () => [...engine.documents('dataset').values()].map((one) => one['n'])

describe('versions', () => {
  it('grow: an older or the same one changes nothing', async () => {
    await writer.write([put({ id: 'a', version: 3 })])
    await writer.write([put({ id: 'a', version: 2 }), put({ id: 'b', version: 1 })])
    await writer.write([put({ id: 'a', version: 3 }), put({ id: 'a', version: 4 }), remove('b', 1)])
    expect(versions()).toEqual({ a: 4, b: 1 })
  })

  it('of what went keep it away from older writes, in this batch and later', async () => {
    await writer.write([put({ id: 'a', version: 1 }), remove('a', 3), put({ id: 'a', version: 2 })])
    await writer.write([put({ id: 'a', version: 2 })])
    expect(versions()).toEqual({})
    await writer.write([put({ id: 'a', version: 4 })])
    expect(versions()).toEqual({ a: 4 })
    await writer.write([remove('nope', 1), remove('nope', 1)])
  })

  it('that took a record away are known to the next process', async () => {
    await writer.write([put({ id: 'a', version: 5 }), remove('b', 7)])
    await writer.write([remove('b', 6), remove('c', 3)])
    expect(await writer.newestVersion()).toBe(7)
    start()
    expect(await writer.newestVersion()).toBe(7)
    await writer.write([put({ id: 'd', version: 8 })])
    expect(await writer.newestVersion()).toBe(8)
  })

  it('are taken over by what is made again', async () => {
    await writer.write([put({ id: 'a', version: 7, text: words('before') })])
    await writer.write([put({ id: 'a', version: 0, text: words('again') })])
    expect(versions()).toEqual({ a: 7 })
    expect(engine.documents('dataset').get('a')?.['_f.title']).toContain('again')
    await writer.write([remove('a', 0)])
    expect(versions()).toEqual({})
  })
})

describe('numbers', () => {
  it('are given once, also by the next process and over what is filled', async () => {
    await writer.write([put({ id: 'a' }), put({ id: 'b' })])
    await writer.write([put({ id: 'a', version: 2 })])
    expect(numbers()).toEqual([3, 2])
    answering = { ...answering, next: held('dataset_next') }
    start()
    await writer.write([put({ id: 'c' })])
    const next = [...engine.documents('dataset_next').values()].map((one) => one['n'])
    expect(new Set([...numbers(), ...next]).size).toBe(4)
  })
})

describe('an index that is filled beside', () => {
  beforeEach(async () => {
    await writer.write([put({ id: 'a', version: 5 }), put({ id: 'b', version: 6 })])
    answering = { ...answering, next: held('dataset_next') }
  })

  it('takes what fills where it is missing, with its version; the other one does not change', async () => {
    await writer.write([filling({ id: 'a' }), filling({ id: 'new' })])
    expect(versions('dataset_next')).toEqual({ a: 5, new: 0 })
    expect(versions()).toEqual({ a: 5, b: 6 })
    await writer.write([filling({ id: 'a', text: words('late') })])
    expect(engine.documents('dataset_next').get('a')).not.toHaveProperty('_f.title')
  })

  it('gets every write too, and what went is not filled in', async () => {
    await writer.write([put({ id: 'a', version: 8 }), remove('b', 9)])
    await writer.write([filling({ id: 'a' }), filling({ id: 'b' })])
    expect(versions('dataset_next')).toEqual({ a: 8 })
    expect(versions()).toEqual({ a: 8 })
  })

  it('is no place that anybody reads from', async () => {
    told = []
    await writer.write([put({ id: 'a', version: 8 })])
    await writer.write([filling({ id: 'b' })])
    expect(told).toEqual(['dataset: a', 'done'])
  })
})

describe('the dictionaries', () => {
  it('are written before the records, once', async () => {
    const order = () => engine.asked.map((path) => path.split('/')[2])
    await writer.write(documents.slice(0, 3).map((document) => ({ put: document })))
    expect(order()).toEqual(['term', 'facet', 'dataset'])
    await writer.write([{ put: { ...documents[0]!, version: 2 } }])
    expect(order()).toEqual(['term', 'facet', 'dataset', 'dataset'])
    start()
    await writer.write([{ put: { ...documents[0]!, version: 3 } }])
    expect(order()).toEqual(['term', 'facet', 'dataset', 'dataset', 'dataset'])
  })

  it('of facet values have the newest title', async () => {
    const titled = (version: number, title: string) => ({
      put: {
        ...documentOf({ index: 'dataset', id: `v${version}`, version }),
        facets: { country: [{ id: 'DE', title }] },
      },
    })
    await writer.write([titled(1, 'Deutschland'), titled(2, 'Germany')])
    await writer.write([titled(3, 'Germany'), titled(4, 'Allemagne')])
    start()
    await writer.write([titled(5, 'Allemagne')])
    expect([...engine.documents('facet').values()]).toMatchObject([
      { facet: 'country', value: 'DE', title: 'Allemagne' },
    ])
    expect(engine.asked.filter((path) => path.includes('facet'))).toHaveLength(2)
  })

  it('that could not be written are written with the next try', async () => {
    const away = new Failure('engine-unavailable', 'away')
    engine.onWrite = (path) => {
      if (path.includes('dataset')) throw away
    }
    await expect(writer.write([{ put: documents[0]! }])).rejects.toBe(away)
    engine.onWrite = (path) => {
      if (path.includes('term')) throw away
    }
    await expect(writer.write([{ put: documents[1]! }])).rejects.toBe(away)
    engine.onWrite = () => undefined
    await writer.write([{ put: documents[1]! }])
    const terms = [...engine.documents('term').values()].map((one) => one['term'])
    expect(terms).toEqual(expect.arrayContaining(['luftqualitat', 'hourly']))
    expect(versions()).toEqual({ d02: 1 })
  })
})

it('an index that is not there is refused before anything is written', async () => {
  const other: IndexChange = { remove: { index: 'catalogue', id: 'c', version: 1 } }
  await expect(writer.write([put({ id: 'a' }), other])).rejects.toMatchObject({ kind: 'internal' })
  expect(engine.asked).toEqual([])
})
