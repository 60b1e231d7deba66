/** Objects of fields, and where their embedding ends. */

import { expect, test } from 'vitest'
import type { Field, MappingClass } from '../../../src/profile/profile.ts'
import { mapFields } from '../../../src/projector/mappings/mapping.ts'
import { compileFields } from '../../../src/projector/mappings/compiled-fields.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { graphOf } from '../../../src/rdf/read.ts'
import { namedNode } from '../../../src/rdf/terms.ts'
import { concepts, prefixes } from './mapped.ts'

const field = (name: string, mapping: MappingClass, more: Partial<Field> = {}): Field => ({
  name,
  mapping,
  paths: [],
  required: false,
  single: true,
  children: [],
  ...more,
})

const title = field('title', 'MultiLang', { paths: ['http://purl.org/dc/terms/title'] })
const part = { paths: ['http://purl.org/dc/terms/hasPart', 'http://purl.org/dc/terms/relation'] }

async function fieldsFrom(turtle: string, fields: readonly Field[]) {
  const graph = graphOf(await parse(prefixes + turtle, 'turtle', { baseIri: 'https://a.example/' }))
  const problems: string[] = []
  const scene = {
    resource: 'https://a.example/x',
    id: 'x',
    graph,
    concepts,
    language: 'en',
    genidPrefix: 'https://a.example/.well-known/genid/',
    report: (path: string, problem: string) => void problems.push(`${path} ${problem}`),
  }
  return {
    json: mapFields(namedNode('https://a.example/x'), compileFields(fields), scene),
    problems,
  }
}

test('an embedded node has its fields, in the order of the IRIs; one without any is left out', async () => {
  const inner = field('parts', 'Nested', { ...part, single: false, children: [title] })
  const found = await fieldsFrom(
    'ex:x dct:hasPart ex:b, ex:a, ex:empty ; dct:relation ex:a, "text" . ex:a dct:title "A" . ex:b dct:title "B" .',
    [inner],
  )
  expect(found).toEqual({
    json: { parts: [{ title: { en: 'A' } }, { title: { en: 'B' } }] },
    problems: ['parts not-an-iri'],
  })
})

test('where the embedding ends a value is its id and IRI, and that is reported', async () => {
  const stub = [field('id', 'StandardText'), field('resource', 'StandardKeyword')]
  const inner = field('part', 'Nested', { ...part, tooDeep: true, children: stub })
  const found = await fieldsFrom('ex:x dct:hasPart ex:a . ex:a dct:title "A" .', [inner])
  expect(found).toEqual({
    json: { part: { id: 'a', resource: 'https://a.example/a' } },
    problems: ['part too-deep'],
  })
})

test('a mandatory field without a value is reported under its dotted path', async () => {
  const inner = field('part', 'Nested', {
    ...part,
    children: [{ ...title, required: true }, field('id', 'StandardText')],
  })
  const found = await fieldsFrom('ex:x dct:hasPart ex:a .', [inner])
  expect(found.problems).toEqual(['part.title missing-mandatory'])
})
