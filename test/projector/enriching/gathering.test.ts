/** Gathering: concepts of vocabularies that memory does not hold, resources of declared types, and what is told of values left out. */

import { beforeEach, describe, expect, it } from 'vitest'
import type { IndexChange, SearchIndex } from '../../../src/search-index/search-index.ts'
import type { Log } from '../../../src/log.ts'
import type { Profile, ResourceType } from '../../../src/profile/profile.ts'
import { ConceptCache } from '../../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../../src/vocabularies/authorities.ts'
import { documentBuilder } from '../../../src/projector/building/document.ts'
import { gatherBatch } from '../../../src/projector/gathering/gather-batch.ts'
import { embeddedCatalogues } from '../../../src/projector/indexed-records.ts'
import { StoredConcepts } from '../../../src/projector/gathering/stored-concepts.ts'
import type { LeftOutValue } from '../../../src/projector/mappings/mapping.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { factLine, systemChange } from '../../../src/store/marks.ts'
import { freshStore } from '../../support/fresh-store.ts'
import { iris as names, profile, quadsOf } from '../built.ts'

const bundled = await loadVocabularyFiles('shapes/vocabularies')
const signal = AbortSignal.timeout(60_000)
const voc = 'https://example.org/voc/large'

let store: GraphStore
beforeEach(async () => {
  store = await freshStore()
})

const content = async (turtle: string) => toLines(await quadsOf(turtle))

/** A log that keeps what it is told. */
function listening() {
  const entries: { level: string; about: unknown; event: string }[] = []
  const at = (level: string) => (about: unknown, event: string) =>
    void entries.push({ level, about, event })
  return {
    entries,
    log: {
      info: at('info'),
      debug: at('debug'),
      warn: at('warn'),
      error: at('error'),
    } as never as Log,
  }
}

/** A batch over the store, with an index that keeps what is written and has nothing. */
function gathering(
  given: { room?: { perVocabulary: number; total: number }; profile?: Profile } = {},
) {
  const own = given.profile ?? profile
  const { log, entries } = listening()
  const concepts = new ConceptCache(bundled)
  const stored = new StoredConcepts({
    store,
    names,
    concepts,
    log,
    ...(given.room && { limits: given.room }),
  })
  const written: IndexChange[] = []
  const index = {
    write: (changes: readonly IndexChange[]) => {
      written.push(...changes)
      return Promise.resolve()
    },
    entries: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
  } as never as SearchIndex
  const reports: LeftOutValue[] = []
  const deps = {
    store,
    index,
    names,
    log,
    stored,
    concepts,
    profile: own,
    builder: documentBuilder({
      profile: own,
      concepts,
      names,
    }),
    catalogueCache: embeddedCatalogues(store, names),
    onLeftOut: (some: readonly LeftOutValue[]) => void reports.push(...some),
  }
  const project = async (...resources: string[]) => {
    const pending = resources.map((resource) => ({ resource, version: 7, markedVersions: [7] }))
    const write = await gatherBatch(deps, pending, signal)
    await write()
  }
  const documents = () => written.flatMap((change) => ('put' in change ? [change.put] : []))
  return { project, documents, written, reports, entries, stored, concepts }
}

const putDataset = async (id: string, body: string) => {
  const [dataset, catalogue] = [names.dataset(id), names.catalogue('cat')]
  await store.write([
    {
      graph: dataset,
      content: await content(`d:${id} a dcat:Dataset ; dct:title "X"@en ; ${body} .`),
    },
    {
      graph: catalogue,
      content: await content('c:cat a dcat:Catalog ; dct:title "Cat"@en .'),
      add: [`<${catalogue}> <http://www.w3.org/ns/dcat#dataset> <${dataset}> .`],
    },
  ])
}

describe('a vocabulary with more concepts than there is room for', () => {
  const putVocabulary = async (label = 'Concept') => {
    const of = (n: number) =>
      `<${voc}/${n}> a skos:Concept ; dc11:identifier "C${n}" ; skos:inScheme <${voc}> ; skos:prefLabel "${label} ${n}"@en .\n`
    const text = Array.from({ length: 50 }, (_, n) => of(n)).join('')
    const handle = names.vocabulary('large')
    const facts = [factLine(handle, 'scheme', { iri: voc }), factLine(handle, 'hash', 'h')]
    await store.write([
      { graph: voc, content: await content(`<${voc}> a skos:ConceptScheme . ${text}`) },
      systemChange({ add: facts }),
    ])
    return handle
  }
  const room = { perVocabulary: 10, total: 100 }

  it('is indexed whole, and its concepts are known to the records that mention them', async () => {
    const handle = await putVocabulary()
    await putDataset('x', `dct:subject <http://example.org/voc/large/7/>, <${voc}/none>`)
    const at = gathering({ room })
    await at.project(handle, names.dataset('x'))
    expect(at.documents().filter(({ index }) => index === 'vocabulary')).toHaveLength(50)
    expect(at.concepts.concepts(voc)).toEqual([])
    const [record] = at.documents().filter(({ index }) => index === 'dataset')
    expect(record?.record['subject']).toEqual([
      { id: 'C7', label: { en: 'Concept 7' }, resource: `${voc}/7` },
      { resource: `${voc}/none` },
    ])
    expect(at.entries).toContainEqual({
      level: 'info',
      event: 'vocabulary.indexed',
      about: { vocabulary: 'large', concepts: 50, isLarge: true },
    })
  })

  it('is known after a start, and with other labels after a rewrite', async () => {
    const handle = await putVocabulary()
    await putDataset('x', `dct:subject <${voc}/7>`)
    const at = gathering({ room })
    await at.stored.load(signal)
    await at.project(names.dataset('x'))
    await putVocabulary('Other')
    await at.project(handle, names.dataset('x'))
    const labels = at.documents().flatMap(({ record }) => record['subject'] ?? [])
    expect(labels).toMatchObject([{ label: { en: 'Concept 7' } }, { label: { en: 'Other 7' } }])
  })
})

describe('a resource of a declared type', () => {
  const type: ResourceType = {
    id: 'app',
    name: 'app',
    description: '',
    path: 'app.ttl',
    shapeUri: 'urn:x:App',
    typeUri: 'urn:x:Application',
    inCatalogue: false,
    shape: profile.catalogue,
    search: {
      facetSize: 50,
      window: 1e4,
      facets: [],
    },
  }
  const resource = names.resource('app', 'one')
  const put = async () =>
    store.write([
      { graph: resource, content: await content(`<${resource}> dct:title "One"@en .`) },
      systemChange({
        add: [factLine(resource, 'resourceType', 'app'), factLine(resource, 'hash', 'h1')],
      }),
    ])

  it('becomes a document of its index', async () => {
    await put()
    const at = gathering({ profile: { ...profile, resources: [type] } })
    await at.project(resource)
    expect(at.documents()).toMatchObject([
      {
        index: 'resource_app',
        id: 'one',
        version: 7,
        hash: 'h1',
        record: { title: { en: 'One' } },
      },
    ])
  })

  it('that is gone, or has lost the catalogue that it must have, leaves the index', async () => {
    const removal = { remove: { index: 'resource_app', id: 'one', version: 7 } }
    const at = gathering({ profile: { ...profile, resources: [{ ...type, inCatalogue: true }] } })
    await at.project(resource)
    await put()
    await at.project(resource)
    expect(at.written).toEqual([removal, removal])
  })

  it('of a type that is not declared has nothing to index', async () => {
    await put()
    const at = gathering()
    await at.project(resource)
    expect(at.written).toEqual([])
  })
})

describe('values that are left out', () => {
  it('are told per batch in one line of the log, and to the counters', async () => {
    await putDataset('x', 'dct:issued "spring", "05.11.2024" ; dct:modified "never"')
    await putDataset('y', 'dct:issued "2024-01-01"')
    const at = gathering()
    await at.project(names.dataset('x'), names.dataset('y'))
    expect(at.reports.filter(({ problem }) => problem === 'bad-date')).toHaveLength(3)
    const of = (event: string) => at.entries.filter((entry) => entry.event === event)
    expect(of('batch.leftOut')).toMatchObject([
      { level: 'info', about: { problems: { 'bad-date': 3 } } },
    ])
  })
})
