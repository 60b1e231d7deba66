/** Maps values written in Turtle with one mapping class, over the bundled vocabularies and as records are mapped. */

import { expect, test } from 'vitest'
import type { Field, MappingClass } from '../../../src/profile/profile.ts'
import { ConceptCache } from '../../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../../src/vocabularies/authorities.ts'
import type { MappingContext } from '../../../src/projector/mappings/mapping.ts'
import type { Json } from '../../../src/text/json.ts'
import { mapFields } from '../../../src/projector/mappings/mapping.ts'
import { compileFields } from '../../../src/projector/mappings/compiled-fields.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { graphOf } from '../../../src/rdf/read.ts'
import { namedNode } from '../../../src/rdf/terms.ts'

export const concepts = new ConceptCache(await loadVocabularyFiles('shapes/vocabularies'))

export const prefixes = `
@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix spdx: <http://spdx.org/rdf/terms#> . @prefix time: <http://www.w3.org/2006/time#> .
@prefix schema: <http://schema.org/> . @prefix locn: <http://www.w3.org/ns/locn#> .
@prefix geo: <http://www.opengis.net/ont/geosparql#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix dext: <https://data.europa.eu/ns/ext#> . @prefix ex: <https://a.example/> .
@prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix org: <http://www.w3.org/ns/org#> .
@prefix eu: <http://publications.europa.eu/resource/authority/> .
`

export const field = (name: string, mapping: MappingClass, more: Partial<Field> = {}): Field => ({
  name,
  mapping,
  paths: [],
  required: false,
  single: true,
  children: [],
  ...more,
})

/** The fields inside of every `Nested` value here. */
const inside: readonly Field[] = [
  field('id', 'StandardText'),
  field('title', 'MultiLang', { paths: ['http://purl.org/dc/terms/title'] }),
  field('size', 'Integer', { paths: ['http://www.w3.org/ns/dcat#byteSize'] }),
]

type Mapped = { readonly json: Json | undefined; readonly problems: readonly string[] }

type How = { readonly single?: boolean; readonly language?: string }

/**
 * `turtle` is the object list of `ex:property`, and may go on with ` ; ` or ` . ` and further triples. The property is
 * the one that the record is titled by, too, and the metrics of the record stand in the same graph.
 */
export async function mapped(mapping: MappingClass, turtle: string, how: How = {}) {
  const text = `${prefixes} ex:record ex:property ${turtle} .`
  const graph = graphOf(await parse(text, 'turtle', { baseIri: 'https://a.example/' }))
  const problems: string[] = []
  const scene: MappingContext = {
    resource: 'https://a.example/record',
    id: 'record',
    graph,
    metrics: graph,
    concepts,
    language: how.language ?? 'en',
    genidPrefix: 'https://a.example/.well-known/genid/',
    report: (path, problem, value) => {
      const place = path === 'field' ? '' : `${path} `
      problems.push(`${place}${problem}: ${typeof value === 'string' ? value : value.value}`)
    },
  }
  const paths = ['https://a.example/property']
  const children = mapping === 'Nested' ? inside : []
  const single = how.single ?? false
  const tested = compileFields([field('field', mapping, { paths, single, children })])
  const titled = compileFields([field('field', mapping), field('title', 'MultiLang', { paths })])
  const slots = mapping === 'TranslationMeta' ? titled.slice(0, 1) : tested
  const record = mapFields(namedNode('https://a.example/record'), slots, scene)
  const found: Mapped = { json: record?.['field'], problems }
  return found
}

/** One row of a table: values, JSON, what the problems contain; `1` as the last says that the field is single. */
type Row = readonly [turtle: string, json: unknown, problems?: readonly string[], single?: 1]
export type Rows = Partial<Record<MappingClass, readonly Row[]>>

type Case = {
  readonly mapping: string
  readonly turtle: string
  readonly json: unknown
  readonly problems: readonly string[]
  readonly found: () => Promise<Mapped>
}

/** The rows as cases for `test.each`. */
const casesOf = (rows: Rows): readonly Case[] =>
  Object.entries(rows).flatMap(([name, table]) =>
    table.map(([turtle, json, problems = [], single]) => ({
      mapping: name,
      turtle,
      json,
      problems,
      found: () => mapped(name as MappingClass, turtle, { single: single === 1 }),
    })),
  )

/** One test for each row: what it becomes, and the problems in their order. */
export function testRows(rows: Rows): void {
  test.each(casesOf(rows))('$mapping: $turtle', async ({ json, problems, found }) => {
    const result = await found()
    expect(result.json).toEqual(json)
    expect(result.problems).toEqual(problems.map((text) => expect.stringContaining(text)))
  })
}
