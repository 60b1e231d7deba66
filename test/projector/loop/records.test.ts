/** The records of an index as the store has them: all of them. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IndexName } from '../../../src/search-index/index-settings.ts'
import { logger } from '../../../src/log.ts'
import { embeddedCatalogues, recordSources } from '../../../src/projector/indexed-records.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { factLine, systemChange } from '../../../src/store/marks.ts'

const names = namesOf('http://localhost:8080/')
const dcat = 'http://www.w3.org/ns/dcat#'
const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
const signal = AbortSignal.timeout(60_000)

let directory: string
let store: GraphStore
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  store = await embeddedStore({ directory, log: logger('silent') })
  const catalogue = (id: string, datasets: number) => ({
    graph: names.catalogue(id),
    content: `<${names.catalogue(id)}> ${type} <${dcat}Catalog> .\n`,
    add: Array.from(
      { length: datasets },
      (_, n) => `<${names.catalogue(id)}> <${dcat}dataset> <${names.dataset(`${id}-${n}`)}> .`,
    ),
  })
  const signs = Array.from({ length: 450 }, (_, n) => names.resource('sign', `s-${n}`))
  await store.write([
    catalogue('a', 450),
    catalogue('b', 0),
    catalogue('c', 5300),
    systemChange({
      add: [
        ...signs.map((iri) => factLine(iri, 'resourceType', 'sign')),
        ...signs.map((iri) => factLine(iri, 'catalogue', { iri: names.catalogue('a') })),
        factLine(names.resource('road-sign', 'other'), 'resourceType', 'road-sign'),
        factLine(names.vocabulary('themes'), 'scheme', { iri: 'urn:x:themes' }),
      ],
    }),
  ])
})
afterAll(async () => {
  await store.close()
  await rm(directory, { recursive: true, force: true })
})

describe('records', () => {
  const resources = [{ id: 'sign' }, { id: 'road-sign' }, { id: 'none' }] as never
  const contexts = () => embeddedCatalogues(store, names)
  const records = (index: IndexName) =>
    recordSources({ store, names, profile: { resources }, catalogueCache: contexts() }).find(
      (one) => one.index === index,
    )!

  it.each([
    ['dataset', 5750, names.dataset('c-5299'), 'c-5299'],
    ['catalogue', 3, names.catalogue('b'), 'b'],
    ['vocabulary', 1, names.vocabulary('themes'), 'themes'],
    ['resource_sign', 450, names.resource('sign', 's-7'), 's-7'],
    ['resource_road-sign', 1, names.resource('road-sign', 'other'), 'other'],
    ['resource_none', 0, undefined, undefined],
  ] as const)('of %s are %i, each once', async (index, count, one, id) => {
    const { ids, resource } = records(index)
    const found = await ids(signal)
    expect(new Set(found).size).toBe(count)
    expect(found).toHaveLength(count)
    if (id === undefined) return
    expect(found).toContain(id)
    expect(resource(id)).toBe(one)
  })
})
