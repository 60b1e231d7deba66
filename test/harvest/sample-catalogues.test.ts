/** The catalogues that come along for a first look: whole, varied, and importable without a word of complaint. */

import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { importDump, type ImportSummary } from '../../src/harvest/importing/dump.ts'
import { openDocument } from '../../src/rdf/open-document.ts'
import { parse } from '../../src/rdf/parse.ts'
import { splitSuffix } from '../../src/rdf/media-types.ts'
import { doubleKey, repositoryDouble, type RepositoryDouble } from '../support/repository-double.ts'
import { quickClock } from './importing/builders.ts'

const folder = new URL('../../pipes/demo/', import.meta.url)
const files = readdirSync(folder, { withFileTypes: true })
  .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  .sort()
const tables = new URL('../../shapes/vocabularies/', import.meta.url)
let double: RepositoryDouble
const summaries: ImportSummary[] = []
const quads: Quad[] = []

beforeAll(async () => {
  double = await repositoryDouble()
  const { signal } = new AbortController()
  for (const file of files) {
    const location = new URL(file, folder).pathname
    const format = splitSuffix(file).format ?? 'turtle'
    quads.push(...(await parse(readFileSync(location, 'utf8'), format, { baseIri: 'urn:x:' })))
    const source = await openDocument({ location }, signal)
    const options = { service: double.service, key: doubleKey, clock: quickClock() }
    summaries.push(await importDump(source, options, signal))
  }
})
afterAll(() => double.close())

describe('the sample catalogues', () => {
  it('are forty datasets or more, in several formats, and every one arrives', () => {
    expect(new Set(files.map((file) => splitSuffix(file).format)).size).toBeGreaterThanOrEqual(3)
    expect(double.datasets.size).toBeGreaterThanOrEqual(40)
    expect(
      summaries.map(({ failed, repaired, endReason: ended }) => ({ failed, repaired, ended })),
    ).toEqual(files.map(() => ({ failed: 0, repaired: 0, endReason: undefined })))
    expect([...double.catalogues.keys()].sort()).toEqual(
      files.map((file) => splitSuffix(file).id).sort(),
    )
  })

  it('speak four languages, and no two titles or descriptions are the same', () => {
    const said = (name: string) =>
      quads.filter((q) => q.predicate.value === `http://purl.org/dc/terms/${name}`)
    const tags = said('description').map((q) =>
      q.object.termType === 'Literal' ? q.object.language : '',
    )
    expect([...new Set(tags)].sort()).toEqual(['de', 'en', 'fr', 'it'])
    const texts = said('description').map((q) => q.object.value)
    expect(new Set(texts).size).toBe(texts.length)
  })

  it('use only codes that the bundled vocabularies know', () => {
    const known = new Set(
      readdirSync(tables)
        .filter((name) => name.endsWith('.ttl'))
        .flatMap((name) => {
          const text = readFileSync(new URL(name, tables), 'utf8')
          const prefix = /^@prefix : <([^>]+)>/m.exec(text)?.[1] ?? ''
          return [...text.matchAll(/^:(\S+) a skos:Concept/gm)].map(([, code]) => prefix + code)
        }),
    )
    const used = quads
      .map((q) => q.object.value)
      .filter((value) =>
        /publications\.europa\.eu\/resource\/authority\/.+\/|europa\.eu\/bna\//.test(value),
      )
    expect(used.length).toBeGreaterThan(500)
    expect([...new Set(used)].filter((iri) => !known.has(iri))).toEqual([])
  })

  it('show what a portal shows: places, periods, services, high-value data, a series', () => {
    const objects = new Set(quads.flatMap((q) => [q.predicate.value, q.object.value]))
    for (const term of ['bbox', 'startDate', 'accessService', 'DatasetSeries', 'contactPoint'])
      expect(objects).toContain(`http://www.w3.org/ns/dcat#${term}`)
    expect(objects).toContain('http://data.europa.eu/r5r/hvdCategory')
  })

  it('name nobody real: every address is on a domain reserved for examples', () => {
    const hosts = quads
      .flatMap((q) => [q.subject.value, q.object.value])
      .flatMap((value) => /^https?:\/\/([^/]+)|^mailto:[^@]+@(.+)$/.exec(value)?.slice(1) ?? [])
      .filter((host) => host !== undefined && !host.endsWith('.example'))
    expect([...new Set(hosts)].sort()).toEqual([
      'data.europa.eu',
      'publications.europa.eu',
      'purl.org',
      'sdmx.org',
      'spdx.org',
      'www.iana.org',
      'www.opengis.net',
      'www.w3.org',
      'xmlns.com',
    ])
  })
})
