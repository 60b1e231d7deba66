/** Reads the catalogues of the store: their ids, their datasets, their descriptions. Hidden ones have no figures. */

import { metricName } from '../indicators.ts'
import { Failure, shown } from '../../errors.ts'
import { isHiddenCatalogue } from '../../rdf/catalogue-visibility.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dct } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore, SelectStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { alpha2Aliases } from '../../vocabularies/coded-values.ts'
import type { ConceptTable } from '../../vocabularies/concept-table.ts'
import { languagesOf, textsOf } from '../localized-texts.ts'
import type { CatalogueFigures } from './figures.ts'

const queries = { all: loadQuery('catalogue-ids'), members: loadQuery('member-ids') }

/** Store with the measurements, and the names of its graphs. */
export type MetricsSource = {
  readonly store: Pick<GraphStore, 'select' | 'readAll'>
  readonly names: Names
}

/** Ids of all catalogues, ascending. */
export const catalogueIds = ({ store, names }: MetricsSource, signal: AbortSignal) =>
  idsIn(store, bind(queries.all, { prefix: literal(names.catalogue('')) }), signal)

/** Ids of the datasets of a catalogue, ascending; none when there is no such catalogue. */
export function datasetIds({ store, names }: MetricsSource, id: string, signal: AbortSignal) {
  const values = { catalogue: namedNode(names.catalogue(id)), prefix: literal(names.dataset('')) }
  return idsIn(store, bind(queries.members, values), signal)
}

/** Ids of the datasets of a catalogue, ascending. Throws `unknown-catalogue` when there is no such catalogue. */
export async function requireDatasetIds(
  source: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids = await datasetIds(source, id, signal)
  const exists = ids.length > 0 || (await readCatalogues(source, [id], signal)).has(id)
  if (!exists) throw unknownCatalogue(id)
  return ids
}

/** Ids that a query returns, many in one text with blanks between them. */
async function idsIn(
  store: SelectStore,
  query: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const rows = await store.select(query, signal)
  const ids = rows.flatMap((row) => row['ids']?.value.split(' ') ?? [])
  return [...new Set(ids)].filter((id) => id !== '').sort()
}

/** Catalogues whose graphs are read at once. */
const cataloguesPerRead = 100

/** Description of a catalogue, and whether it is hidden; hidden ones have no figures. */
export type ReadCatalogue = CatalogueFigures & { readonly isHidden: boolean }

/** Reads the descriptions of catalogues, by id; absent ones are no keys. */
export async function readCatalogues(
  { store, names }: MetricsSource,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadCatalogue>> {
  const catalogues = new Map<string, ReadCatalogue>()
  const countries = (await shippedAuthorities()).table('country')
  for (let offset = 0; offset < ids.length; offset += cataloguesPerRead) {
    const page = ids.slice(offset, offset + cataloguesPerRead)
    const texts = await store.readAll(page.map(names.catalogue), { links: false }, signal)
    for (const id of page) {
      const iri = names.catalogue(id)
      const text = texts.get(iri)
      if (text !== undefined)
        catalogues.set(id, catalogueOf(id, iri, graphOf(fromLines(text)), countries))
    }
  }
  return catalogues
}

/** Reads a catalogue. Throws `unknown-catalogue`, also for hidden ones. */
export async function visibleCatalogue(
  source: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> {
  const { names } = source
  // What cannot be an id does not get as far as the store.
  const isId = names.idOf('catalogue', names.catalogue(id)) !== undefined
  const catalogue = isId ? (await readCatalogues(source, [id], signal)).get(id) : undefined
  if (!catalogue || catalogue.isHidden) throw unknownCatalogue(id)
  return catalogue
}

/** Failure for absent and for hidden catalogues alike, so that an answer does not disclose which. */
export const unknownCatalogue = (id: string) =>
  new Failure('unknown-catalogue', `there is no catalogue ${shown(id)}`)

function catalogueOf(
  id: string,
  iri: string,
  graph: Graph,
  countries: ConceptTable,
): ReadCatalogue {
  const objects = (name: string) => graph.objects(iri, dct(name))
  const places = objects('spatial').filter(({ termType }) => termType === 'NamedNode')
  return {
    id,
    isHidden: isHiddenCatalogue(graph, iri),
    titles: textsOf(objects('title')),
    descriptions: textsOf(objects('description')),
    languages: languagesOf(objects('language')),
    country: countryOf(
      places.map(({ value }) => value),
      countries,
    ),
    type: typeOf(objects('type').map(({ value }) => value.trim())),
  }
}

/**
 * Type of a catalogue: a literal, or the last part of an IRI; `dcat-ap` before all others, because it decides what is measured.
 */
function typeOf(values: readonly string[]): string | null {
  const types = values.map((value) =>
    /^[a-z][a-z0-9+.-]*:/i.test(value) ? metricName(value.replace(/[#/]+$/, '')) : value,
  )
  return types.find((type) => type.toLowerCase() === 'dcat-ap') ?? types[0] ?? null
}

const authority =
  /^https?:\/\/publications\.europa\.eu\/resource\/authority\/(?:country|place|atu)\/([A-Z0-9]{3})(?:_[A-Z0-9_]+)?\/?$/
const nuts = /^https?:\/\/data\.europa\.eu\/nuts\/code\/([A-Z]{2})[A-Z0-9]{0,3}\/?$/i

/**
 * Country of the first place whose IRI names one (ISO 3166-1 alpha-3); `null` where none does: a union of countries is no
 * country.
 */
function countryOf(places: Iterable<string>, countries: ConceptTable): string | null {
  for (const iri of places) {
    const letters = nuts.exec(iri)?.[1]?.toLowerCase()
    const code = letters
      ? countries.byAlpha2(alpha2Aliases.get(letters) ?? letters)?.id
      : authority.exec(iri)?.[1]
    // The table has a code of its own for Kosovo.
    if (code === '1A0') return 'XKX'
    if (code !== undefined && code !== 'EUR' && /^[A-Z]{3}$/.test(code)) return code
  }
  return null
}
