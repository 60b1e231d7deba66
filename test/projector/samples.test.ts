/** The samples become documents, none is lost, and what is left out of them is known by heart. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { previewDocuments } from '../../src/projector/preview-documents.ts'
import { formatOfSuffix } from '../../src/rdf/media-types.ts'
import { decode, parse } from '../../src/rdf/parse.ts'
import { graphOf, instances } from '../../src/rdf/read.ts'
import { profile } from './built.ts'

const folder = '../shared/data/samples'

async function quadsOf(name: string) {
  const format = formatOfSuffix(name.split('.').at(-1) ?? '') ?? 'turtle'
  const repair = () => undefined
  return parse(decode(readFileSync(`${folder}/${name}`)), format, {
    baseIri: 'https://example.org/',
    repair,
  })
}

/** Everything that is left out of every sample, read and found right. */
const reviewed: Readonly<Record<string, readonly string[]>> = {
  'broken/bad-iris.rdf': ['description missing-mandatory '],
  'broken/bad-language-tag.jsonld': ['description missing-mandatory '],
  'broken/byte-order-mark.ttl': ['description missing-mandatory '],
  'broken/relative-iris.ttl': ['description missing-mandatory '],
  'broken/untidy.ttl': [
    'distributions.byte_size bad-number 12 MB',
    'issued bad-date 2024-02-30',
    'landing_page not-an-iri not a url',
    'language unknown-concept xx',
    'modified bad-date spring 2023',
    'temporal bad-range 2024-12-31/2024-01-01',
  ],
  'dcat-ap-de/RefImp_JSONLD_ADVANCED.jsonld': [],
  'dcat-ap-de/RefImp_RDF_ADVANCED.rdf': [],
  'dcat-ap-de/RefImp_TTL_ADVANCED.ttl': [],
  'semic/example-ms_catalogue_hvd.jsonld': [],
  'semic/example-ms_catalogue_hvd.ttl': [],
  'semic/example-ms_dataset_2_distributions.jsonld': [],
  'semic/example-ms_dataset_2_distributions.ttl': [],
  'worked/catalogue.ttl': [],
  'worked/dataset.ttl': [
    'categories unknown-concept https://example.org/theme/unknown',
    'description same-language-twice Tägliche Pegelstände an zwölf Messstellen.',
  ],
}

/** No RDF, or none that says what it is about: nothing to project. */
const unread = [
  'broken/external-entity.rdf',
  'broken/no-dataset.ttl',
  'broken/not-utf8.ttl',
  'broken/remote-context.jsonld',
  'broken/slash-in-local-name.ttl',
  'broken/text-before-turtle.ttl',
  'broken/truncated.ttl',
  'broken/undeclared-prefix.ttl',
  'dcat-ap-de/UAG_Beispieldatensatz_v1.ttl',
  'semic/example-bee-population-dataset-series-combined.jsonld',
  'semic/example-bee-population-dataset-series-combined.ttl',
]

const from = { profile, base: 'http://localhost:8080/', vocabularies: 'shapes/vocabularies' }
const classes = ['Dataset', 'DatasetSeries', 'Catalog'].map(
  (name) => `http://www.w3.org/ns/dcat#${name}`,
)

describe.skipIf(!existsSync(folder))('the samples', () => {
  test('are all named here', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const rdf = files.filter((name) => /\.(ttl|rdf|jsonld)$/.test(name))
    expect([...Object.keys(reviewed), ...unread].toSorted()).toEqual(rdf.toSorted())
  })

  test.each(Object.entries(reviewed))('%s: every record becomes a document', async (name, list) => {
    const quads = await quadsOf(name)
    const graph = graphOf(quads)
    const records = new Set(classes.flatMap((iri) => instances(graph, iri)))
    const all = await previewDocuments(quads, from)
    expect(all).toHaveLength(records.size)
    expect(new Set(all.map(({ document }) => `${document.index} ${document.id}`)).size).toBe(
      records.size,
    )
    const told = all
      .flatMap(({ reports }) => reports)
      .map(({ field, problem, value }) => `${field} ${problem} ${value}`)
    expect(told.toSorted()).toEqual([...list].toSorted())
  })

  test.each(unread)('%s holds no record that could be lost', async (name) => {
    const made = quadsOf(name).then((quads) => previewDocuments(quads, from))
    await expect(made).rejects.toThrow(/./)
  })
})
