/** Whom a cascade mark on a vocabulary means: found in the store, page by page. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { vocabularyUsers } from '../../../src/projector/cascades.ts'
import { readCascades } from '../../../src/projector/queue.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import { factLine, markLine, systemChange, type Mark } from '../../../src/store/marks.ts'
import { iris as names } from '../built.ts'

const log = logger('silent')
const signal = AbortSignal.timeout(60_000)
const handle = names.vocabulary('p')
const acme = 'https://example.org/p/acme'

let directory: string
let store: GraphStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  store = await embeddedStore({ directory, log })
})
afterEach(async () => {
  await store.close()
  await rm(directory, { recursive: true, force: true })
})

const dataset = (n: number) => names.dataset(`d${String(n).padStart(4, '0')}`)
const mentioning = (graph: string, iri: string) => ({
  graph,
  content: `<${graph}> <http://purl.org/dc/terms/publisher> <${iri}> .\n`,
})
const notes = (...lines: string[]) =>
  store.write([
    systemChange({ add: [markLine('cascade', { resource: handle, version: 5 }), ...lines] }),
  ])

const mark: Mark = { resource: handle, version: 5 }

function users() {
  let version = 100
  const nextVersion = () => (version += 1)
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  return vocabularyUsers({ store, names, log, nextVersion, pause }, mark, signal)
}

async function all(from = users()) {
  const found: string[] = []
  for await (const page of (await from).pages) found.push(...page)
  return found
}

describe('the users of a vocabulary', () => {
  it('are the records that mention what changed or went, in all spellings, each once', async () => {
    const other = 'https://example.org/p/other'
    await store.write([
      ...Array.from({ length: 450 }, (_, n) => mentioning(dataset(n), n % 2 ? acme : other)),
      mentioning(dataset(500), 'http://example.org/p/acme'),
      mentioning(dataset(501), `${acme}/`),
      mentioning(dataset(502), 'https://example.org/p/unchanged'),
      mentioning(names.metrics('d0001'), acme),
      mentioning('https://example.org/p', acme),
    ])
    await notes(
      factLine(handle, 'changed', `5 ${acme}`),
      factLine(handle, 'retired', { iri: other }),
    )
    const expected = [...Array.from({ length: 450 }, (_, n) => n), 500, 501].map(dataset)
    expect((await all()).toSorted()).toEqual(expected)
  })

  it('are known once the vocabulary itself is indexed', async () => {
    await store.write([mentioning(dataset(1), acme)])
    await notes(markLine('pending', { resource: handle, version: 5 }))
    const found = all()
    await store.write([
      systemChange({
        add: [factLine(handle, 'changed', `5 ${acme}`)],
        remove: [markLine('pending', { resource: handle, version: 5 })],
      }),
    ])
    expect(await found).toEqual([dataset(1)])
  })

  it('are all records when more concepts went than can be named', async () => {
    const catalogue = names.catalogue('c')
    await store.write([
      {
        graph: catalogue,
        content: `<${catalogue}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Catalog> .\n`,
      },
      systemChange({ add: [factLine(catalogue, 'hash', 'h')] }),
    ])
    await notes(factLine(handle, 'retired', 'all'))
    expect(await all()).toEqual([catalogue])
    const marks = await readCascades(store, 10, signal)
    expect(marks.map(({ resource }) => resource)).toContain(catalogue)
  })

  it('leave the lines that belong to their mark, and those that a later rewrite needs', async () => {
    const changed = factLine(handle, 'changed', `5 ${acme}`)
    const retired = factLine(handle, 'retired', { iri: 'https://example.org/p/other' })
    await notes(changed, retired)
    const lines = async () => (await users()).lines
    expect((await lines())?.toSorted()).toEqual([changed, retired].toSorted())
    await store.write([
      systemChange({ add: [markLine('cascade', { resource: handle, version: 6 })] }),
    ])
    expect(await lines()).toEqual([changed])
  })
})
