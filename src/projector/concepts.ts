/** The concept cache of a process: bundled tables, replaced by stored vocabularies of the same scheme. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from '../rdf/parse.ts'
import { graphOf } from '../rdf/read.ts'
import { schemes, type Concept } from './vocabulary/concept.ts'
import { formatsOf, type Formats } from './vocabulary/formats.ts'
import { licencesOf, type Licences } from './vocabulary/licences.ts'
import { conceptsOf, schemeIn } from './vocabulary/reading.ts'
import { once, preferred, tableOf, type Table } from './vocabulary/table.ts'

/** Scheme IRI → its concepts. */
export type Tables = ReadonlyMap<string, readonly Concept[]>

export type ConceptCache = {
  /** By IRI: exact, then with http and https exchanged, then without a trailing `/`. */
  readonly find: (iri: string) => Concept | undefined
  /** By code, any case; current concepts before deprecated ones. */
  readonly byCode: (scheme: string, code: string) => Concept | undefined
  /** Countries and languages by two-letter code in lower case. */
  readonly byAlpha2: (scheme: string, code: string) => Concept | undefined
  readonly licenceByIri: Licences['byIri']
  readonly licenceByText: Licences['byText']
  readonly formatByText: Formats['byText']
  readonly formatByMediaType: Formats['byMediaType']
  readonly concepts: (scheme: string) => readonly Concept[]
  /** Grows with every replacement. */
  readonly revision: () => number
  /** A stored vocabulary takes the place of the bundled one; `undefined` brings that back. */
  readonly replace: (scheme: string, concepts: readonly Concept[] | undefined) => void
}

/** Reads every `*.ttl` of a directory, each one vocabulary. */
export async function loadBundled(directory: string): Promise<Tables> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.ttl')).toSorted()
  const tables = new Map<string, readonly Concept[]>()
  for (const name of names) {
    const text = await readFile(join(directory, name), 'utf8')
    const graph = graphOf(await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' }))
    const scheme = schemeIn(graph)
    if (scheme === undefined) throw new Error(`${name} has no concept scheme`)
    tables.set(scheme, conceptsOf(graph, scheme))
  }
  return tables
}

const otherScheme = (iri: string) =>
  iri.startsWith('http:') ? `https:${iri.slice(5)}` : `http:${iri.slice(6)}`

function* spellings(iri: string): Generator<string> {
  yield iri
  if (!/^https?:/.test(iri)) return
  yield otherScheme(iri)
  if (!iri.endsWith('/')) return
  yield iri.slice(0, -1)
  yield otherScheme(iri.slice(0, -1))
}

/** What official tables do not say (two-letter codes, media types) stays known from the bundled concept. */
const completed = (concept: Concept, known: Concept | undefined): Concept =>
  known
    ? {
        ...concept,
        extensions: { ...known.extensions, ...concept.extensions },
        exactMatch: concept.exactMatch.length > 0 ? concept.exactMatch : known.exactMatch,
        mediaTypes: concept.mediaTypes.length > 0 ? concept.mediaTypes : known.mediaTypes,
        endings: concept.endings.length > 0 ? concept.endings : known.endings,
      }
    : concept

type Lookups = {
  readonly all: () => ReadonlyMap<string, Concept>
  readonly licences: () => Licences
  readonly formats: () => Formats
}

function lookupsOf(tables: ReadonlyMap<string, Table>): Lookups {
  const of = (scheme: string) => tables.get(scheme)?.concepts ?? []
  const every = () => [...tables.values()].flatMap(({ concepts }) => concepts)
  return {
    all: once(() => new Map(every().map((concept) => [concept.iri, concept]))),
    licences: once(() => {
      const matching = every().filter(
        ({ exactMatch, scheme }) => exactMatch.length > 0 && scheme !== schemes.licence,
      )
      return licencesOf(of(schemes.licence), preferred(matching))
    }),
    formats: once(() => formatsOf(of(schemes.fileType))),
  }
}

/** A cache over the bundled tables; changes of stored vocabularies come in through `replace`. */
export function conceptCache(bundled: Tables): ConceptCache {
  const tables = new Map<string, Table>()
  for (const [scheme, concepts] of bundled) tables.set(scheme, tableOf(concepts))
  const built = new Map([...bundled.values()].flat().map((concept) => [concept.iri, concept]))
  let lookups = lookupsOf(tables)
  let revision = 0
  const find = (iri: string): Concept | undefined => {
    const all = lookups.all()
    for (const spelling of spellings(iri)) {
      const found = all.get(spelling)
      if (found) return found
    }
    return undefined
  }
  return {
    find,
    byCode: (scheme, code) => tables.get(scheme)?.byCode(code),
    byAlpha2: (scheme, code) => tables.get(scheme)?.byAlpha2(code),
    licenceByIri: (iri) => lookups.licences().byIri(iri),
    licenceByText: (text) => lookups.licences().byText(text),
    formatByText: (text) => lookups.formats().byText(text),
    formatByMediaType: (type) => lookups.formats().byMediaType(type),
    concepts: (scheme) => tables.get(scheme)?.concepts ?? [],
    revision: () => revision,
    replace(scheme, concepts) {
      const next = concepts?.map((concept) => completed(concept, built.get(concept.iri)))
      const replacement = next ?? bundled.get(scheme)
      if (replacement) tables.set(scheme, tableOf(replacement))
      else tables.delete(scheme)
      lookups = lookupsOf(tables)
      revision += 1
    },
  }
}
