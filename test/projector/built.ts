/** Builders of documents over Turtle texts, for the tests of the projector's documents. */

import { existsSync, readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { ConceptCache } from '../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../src/vocabularies/authorities.ts'
import { documentBuilder } from '../../src/projector/building/document.ts'
import { names } from '../../src/rdf/names.ts'
import { parse } from '../../src/rdf/parse.ts'
import { graphOf, type Graph } from '../../src/rdf/read.ts'

/** Samples that are not part of the repository; tests over them are skipped visibly without them. */
const samples = '../shared/data/samples'
export const hasSamples = existsSync(samples)
export const sample = (path: string): string => readFileSync(`${samples}/${path}`, 'utf8')

export const iris = names('http://localhost:8080/')
export const profile = await loadProfile()
export const concepts = new ConceptCache(await loadVocabularyFiles('shapes/vocabularies'))
export const builder = documentBuilder({ profile, concepts, names: iris })

const prefixes = `
@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix dcatap: <http://data.europa.eu/r5r/> . @prefix dqv: <http://www.w3.org/ns/dqv#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dc11: <http://purl.org/dc/elements/1.1/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix eu: <http://publications.europa.eu/resource/authority/> . @prefix pv: <https://piveau.eu/ns/voc#> .
@prefix d: <http://localhost:8080/set/data/> . @prefix r: <http://localhost:8080/set/record/> .
@prefix s: <http://localhost:8080/set/distribution/> . @prefix c: <http://localhost:8080/id/catalogue/> .
`

export const quadsOf = (turtle: string): Promise<Quad[]> =>
  parse(prefixes + turtle, 'turtle', { baseIri: 'http://localhost:8080/' })

export const graph = async (turtle: string): Promise<Graph> => graphOf(await quadsOf(turtle))

/** The text with one IRI in the place of another. */
export const renamed = (text: string, from: string, to: string): string =>
  text.replaceAll(`<${from}>`, `<${to}>`)

const plain = 'c:cat a dcat:Catalog ; dct:title "Cat"@en .'

/** The document of `d:x` in catalogue `c:cat`. */
export async function datasetOf(dataset: string, catalogue = plain, metrics?: string) {
  return builder.dataset({
    id: 'x',
    iri: iris.dataset('x'),
    version: 7,
    hash: 'h',
    graph: await graph(dataset),
    catalogue: { id: 'cat', graph: await graph(catalogue) },
    ...(metrics !== undefined && { metrics: await graph(metrics) }),
  })
}

/** The document of `c:cat`. */
export async function catalogueOf(catalogue: string) {
  const input = { id: 'cat', iri: iris.catalogue('cat'), version: 7, hash: 'h' }
  return builder.catalogue({ ...input, graph: await graph(catalogue) })
}
