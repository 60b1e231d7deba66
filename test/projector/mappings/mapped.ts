/** Maps values written in Turtle with one mapping class, over the bundled vocabularies. */

import { expect, test } from 'vitest'
import type { MappingClass } from '../../../src/profile/fields.ts'
import { conceptCache, loadBundled } from '../../../src/projector/concepts.ts'
import type { Json } from '../../../src/projector/mappings/json.ts'
import type { Scene } from '../../../src/projector/mappings/mapping.ts'
import { mappings } from '../../../src/projector/mappings/table.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { graphOf } from '../../../src/rdf/read.ts'

export const concepts = conceptCache(await loadBundled('shapes/vocabularies'))

export const prefixes = `
@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix spdx: <http://spdx.org/rdf/terms#> . @prefix time: <http://www.w3.org/2006/time#> .
@prefix schema: <http://schema.org/> . @prefix locn: <http://www.w3.org/ns/locn#> .
@prefix geo: <http://www.opengis.net/ont/geosparql#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix dext: <https://data.europa.eu/ns/ext#> . @prefix ex: <https://a.example/> .
@prefix eu: <http://publications.europa.eu/resource/authority/> .
`

export type Mapped = { readonly json: Json | undefined; readonly problems: readonly string[] }

/** `turtle` is the object list of one property, and may go on with ` . ` and further triples. */
export async function mapped(
  mapping: MappingClass,
  turtle: string,
  how: { readonly single?: boolean; readonly language?: string } = {},
): Promise<Mapped> {
  const text = `${prefixes} ex:record ex:property ${turtle} .`
  const graph = graphOf(await parse(text, 'turtle', { baseIri: 'https://a.example/' }))
  const problems: string[] = []
  const scene: Scene = {
    resource: 'https://a.example/record',
    id: 'record',
    graph,
    concepts,
    language: how.language ?? 'en',
    genidPrefix: 'https://a.example/.well-known/genid/',
    report: (_field, problem, value) => {
      problems.push(`${problem}: ${typeof value === 'string' ? value : value.value}`)
    },
  }
  const site = { path: 'field', single: how.single ?? false, children: [], tooDeep: false }
  const nodes = graph.objects('https://a.example/record', 'https://a.example/property')
  return { json: mappings[mapping](nodes, site, scene), problems }
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
