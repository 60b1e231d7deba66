/**
 * Lookups in controlled vocabularies and the registry of media types: those that ship with the platform in `shapes/vocabularies`,
 * or stored ones in their place.
 */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from '../rdf/parse.ts'
import { graphOf } from '../rdf/read.ts'
import { SingleFlight } from '../workers/single-flight.ts'
import { conceptsOf, schemeIn, schemes, type Concept } from './concept.ts'
import { createConceptTable, type ConceptTable } from './concept-table.ts'
import { meaningfulText } from './loose-values.ts'

/** Content of a directory of vocabularies. */
export type VocabularyFiles = {
  /** IRI of a concept scheme → its concepts. */
  readonly tables: ReadonlyMap<string, readonly Concept[]>
  /** Registered media types (IANA): in lower case → as registered. */
  readonly mediaTypes: ReadonlyMap<string, string>
}

const mediaTypesFile = 'iana-media-types.txt'

/** Reads one Turtle file: the IRI of its concept scheme, and its concepts. */
async function readVocabularyFile(file: string): Promise<readonly [string, readonly Concept[]]> {
  const text = await readFile(file, 'utf8')
  const graph = graphOf(await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' }))
  const scheme = schemeIn(graph)
  if (scheme === undefined) throw new Error(`${file} has no concept scheme`)
  return [scheme, conceptsOf(graph, scheme)]
}

/** Reads every `*.ttl` of a directory, each one vocabulary, and the list of media types if there is one. */
export async function loadVocabularyFiles(directory: string): Promise<VocabularyFiles> {
  const names = (await readdir(directory)).toSorted()
  const tables = new Map<string, readonly Concept[]>()
  for (const name of names.filter((name) => name.endsWith('.ttl'))) {
    const [scheme, concepts] = await readVocabularyFile(join(directory, name))
    tables.set(scheme, concepts)
  }
  const list = names.includes(mediaTypesFile)
    ? await readFile(join(directory, mediaTypesFile), 'utf8')
    : ''
  const lines = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return { tables, mediaTypes: new Map(lines.map((line) => [line.toLowerCase(), line])) }
}

/** Short name of a vocabulary in `schemes`. */
export type AuthorityName = keyof typeof schemes

/** Lookups in several controlled vocabularies. */
export type Authorities = {
  /** Lookups of one vocabulary; those of an empty one when it is not loaded. */
  readonly table: (name: AuthorityName) => ConceptTable
  /** Concept of any of the vocabularies by its IRI. */
  readonly concept: (iri: string) => Concept | undefined
  /** Media type as it is registered (IANA), by its name in any case. */
  readonly mediaType: (type: string) => string | undefined
}

/** Directory of the vocabularies that ship with the platform. */
const shippedVocabularies = fileURLToPath(new URL('../../shapes/vocabularies', import.meta.url))

const empty = createConceptTable([])
const shipped = new SingleFlight<'authorities', Authorities>({ keepMs: Infinity })

/** Lookups in the shipped vocabularies, which are read once per process, and again after a failure. */
export const shippedAuthorities = (): Promise<Authorities> =>
  shipped.get('authorities', async () => {
    const { tables, mediaTypes } = await loadVocabularyFiles(shippedVocabularies)
    const conceptTables = new Map(
      [...tables].map(([scheme, concepts]) => [scheme, createConceptTable(concepts)]),
    )
    return createAuthorities({ tables: conceptTables, mediaTypes })
  })

type Tables = Pick<VocabularyFiles, 'mediaTypes'> & {
  /** IRI of a concept scheme → lookups of its concepts. */
  readonly tables: ReadonlyMap<string, ConceptTable>
}

/** Lookups in the given vocabularies; to be created again when one of them is replaced. */
export function createAuthorities({ tables, mediaTypes }: Tables): Authorities {
  return {
    table: (name) => tables.get(schemes[name]) ?? empty,
    concept: (iri) => [...tables.values()].flatMap(({ byIri }) => byIri(iri) ?? [])[0],
    mediaType: (type) => mediaTypes.get(type.toLowerCase()),
  }
}

/** IRI of the concept that a text means by its IRI in a similar spelling, its code, or its label in any language. */
export function conceptIri(
  name: AuthorityName,
  value: unknown,
  authorities: Authorities,
): string | undefined {
  const text = meaningfulText(value)
  if (text === undefined) return undefined
  const table = authorities.table(name)
  const concept = table.bySimilarIri(text)
  if (concept || /^https?:/i.test(text)) return concept?.iri
  return (table.byCode(text) ?? table.byLabel(text))?.iri
}
