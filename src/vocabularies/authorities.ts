/** The controlled tables that the product ships: read from `shapes/vocabularies`, and the registry of media types beside them. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from '../rdf/parse.ts'
import { graphOf } from '../rdf/read.ts'
import { conceptsOf, schemeIn, schemes, type Concept } from './concept.ts'
import { createConceptTable, type ConceptTable } from './concept-table.ts'
import { meaningfulText } from './loose-values.ts'

export type VocabularyFiles = {
  /** Scheme IRI → its concepts. */
  readonly tables: ReadonlyMap<string, readonly Concept[]>
  /** Registered media types (IANA): lower case → as registered. */
  readonly mediaTypes: ReadonlyMap<string, string>
}

const mediaTypesFile = 'iana-media-types.txt'

async function readVocabularyFile(file: string): Promise<readonly [string, readonly Concept[]]> {
  const text = await readFile(file, 'utf8')
  const graph = graphOf(await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' }))
  const scheme = schemeIn(graph)
  if (scheme === undefined) throw new Error(`${file} has no concept scheme`)
  return [scheme, conceptsOf(graph, scheme)]
}

/** Reads every `*.ttl` of a directory, each one vocabulary, and the list of media types when there is one. */
export async function loadVocabularyFiles(directory: string): Promise<VocabularyFiles> {
  const names = (await readdir(directory)).toSorted()
  const tables = new Map<string, readonly Concept[]>()
  for (const name of names.filter((one) => one.endsWith('.ttl'))) {
    const [scheme, concepts] = await readVocabularyFile(join(directory, name))
    tables.set(scheme, concepts)
  }
  const list = names.includes(mediaTypesFile)
    ? await readFile(join(directory, mediaTypesFile), 'utf8')
    : ''
  const lines = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return { tables, mediaTypes: new Map(lines.map((line) => [line.toLowerCase(), line])) }
}

export type AuthorityName = keyof typeof schemes

export type Authorities = {
  readonly table: (name: AuthorityName) => ConceptTable
  /** The concept of any of the tables by its IRI. */
  readonly concept: (iri: string) => Concept | undefined
  /** A media type as it is registered (IANA), whatever its case. */
  readonly mediaType: (type: string) => string | undefined
}

/** The directory with the tables that come with the product. */
const shippedVocabularies = fileURLToPath(new URL('../../shapes/vocabularies', import.meta.url))

const empty = createConceptTable([])
let shippedOnce: Promise<Authorities> | undefined

/** The shipped tables with their lookups; read once per process. */
export const shippedAuthorities = (): Promise<Authorities> =>
  (shippedOnce ??= loadVocabularyFiles(shippedVocabularies).then(({ tables, mediaTypes }) => {
    const made = new Map(
      [...tables].map(([scheme, concepts]) => [scheme, createConceptTable(concepts)]),
    )
    return createAuthorities({ tables: made, mediaTypes })
  }))

type Tables = Pick<VocabularyFiles, 'mediaTypes'> & {
  /** Scheme IRI → its lookups. */
  readonly tables: ReadonlyMap<string, ConceptTable>
}

/** The lookups over tables as they are now; make it anew when one of them was replaced. */
export function createAuthorities({ tables, mediaTypes }: Tables): Authorities {
  return {
    table: (name) => tables.get(schemes[name]) ?? empty,
    concept: (iri) => [...tables.values()].flatMap(({ byIri }) => byIri(iri) ?? [])[0],
    mediaType: (type) => mediaTypes.get(type.toLowerCase()),
  }
}

/** The IRI of the concept that a text means: its IRI, its code, or its label in any language. */
export function conceptIri(
  name: AuthorityName,
  value: unknown,
  authorities: Authorities,
): string | undefined {
  const text = meaningfulText(value)
  if (text === undefined) return undefined
  const table = authorities.table(name)
  const named = table.bySimilarIri(text)
  if (named || /^https?:/i.test(text)) return named?.iri
  return (table.byCode(text) ?? table.byLabel(text))?.iri
}
