/** The catalogues of the store: their ids, their datasets, and what they say of themselves. Hidden ones have no figures. */

import { Failure, shown } from '../../errors.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { dct } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { languagesOf, textsOf } from '../localized-texts.ts'
import { localName } from '../measure/quality-terms.ts'
import type { CatalogueFigures } from './figures.ts'

const queries = { all: loadQuery('catalogue-ids'), members: loadQuery('member-ids') }

/** Where measurements are read from. */
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

/** The same; throws `unknown-catalogue`. */
export async function knownDatasetIds(
  source: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids = await datasetIds(source, id, signal)
  const found = ids.length > 0 || (await readCatalogues(source, [id], signal)).has(id)
  if (!found) throw unknownCatalogue(id)
  return ids
}

/** The queries answer many ids in one text, with blanks between them. */
async function idsIn(
  store: Pick<GraphStore, 'select'>,
  query: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const rows = await store.select(query, signal)
  const ids = rows.flatMap((row) => row['ids']?.value.split(' ') ?? [])
  return [...new Set(ids)].filter((id) => id !== '').sort()
}

/** Catalogues whose graphs are read at once. */
const atOnce = 100

/** What a catalogue says of itself; hidden ones have no figures. */
export type ReadCatalogue = CatalogueFigures & { readonly isHidden: boolean }

/** By id; catalogues that are absent are no keys. */
export async function readCatalogues(
  { store, names }: MetricsSource,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadCatalogue>> {
  const found = new Map<string, ReadCatalogue>()
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce)
    const texts = await store.readAll(some.map(names.catalogue), { links: false }, signal)
    for (const id of some) {
      const iri = names.catalogue(id)
      const text = texts.get(iri)
      if (text !== undefined) found.set(id, catalogueOf(id, iri, graphOf(fromLines(text))))
    }
  }
  return found
}

/** Throws `unknown-catalogue`, also for hidden ones. */
export async function visibleCatalogue(
  source: MetricsSource,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> {
  const { names } = source
  // What cannot be an id does not get as far as the store.
  const isId = names.idOf('catalogue', names.catalogue(id)) !== undefined
  const found = isId ? (await readCatalogues(source, [id], signal)).get(id) : undefined
  if (!found || found.isHidden) throw unknownCatalogue(id)
  return found
}

export const unknownCatalogue = (id: string) =>
  new Failure('unknown-catalogue', `there is no catalogue ${shown(id)}`)

function catalogueOf(id: string, iri: string, graph: Graph): ReadCatalogue {
  const of = (name: string) => graph.objects(iri, dct(name))
  const places = of('spatial').filter(({ termType }) => termType === 'NamedNode')
  return {
    id,
    isHidden: isHidden(graph, iri),
    titles: textsOf(of('title')),
    descriptions: textsOf(of('description')),
    languages: languagesOf(of('language')),
    country: countryOf(places.map(({ value }) => value)),
    type: typeOf(of('type').map(({ value }) => value.trim())),
  }
}

/** A property with the local name `visibility`, in any namespace, that says `hidden`: as search takes it. */
const isHidden = (graph: Graph, iri: string): boolean =>
  [...graph.predicates(iri)]
    .filter((predicate) => localName(predicate) === 'visibility')
    .flatMap((predicate) => graph.objects(iri, predicate))
    .some(({ termType, value }) =>
      termType === 'Literal' ? value === 'hidden' : localName(value) === 'hidden',
    )

/** A literal as it is, of an IRI its last part; `dcat-ap` before all others, because it decides what is measured. */
function typeOf(values: readonly string[]): string | null {
  const types = values.map((value) =>
    /^[a-z][a-z0-9+.-]*:/i.test(value) ? localName(value.replace(/[#/]+$/, '')) : value,
  )
  return types.find((type) => type.toLowerCase() === 'dcat-ap') ?? types[0] ?? null
}

const authority =
  /^https?:\/\/publications\.europa\.eu\/resource\/authority\/(?:country|place|atu)\/([A-Z0-9]{3})(?:_[A-Z0-9_]+)?\/?$/
const nuts = /^https?:\/\/data\.europa\.eu\/nuts\/code\/([A-Z]{2})[A-Z0-9]{0,3}\/?$/i

/** Codes of the table that are no codes of ISO 3166-1. */
const special: Readonly<Record<string, string>> = { '1A0': 'XKX' }

/** The countries that have NUTS or statistical regions, by the letters of their regions. */
const regions: ReadonlyMap<string, string> = new Map(
  (
    'AL:ALB AT:AUT BA:BIH BE:BEL BG:BGR CH:CHE CY:CYP CZ:CZE DE:DEU DK:DNK EE:EST EL:GRC ES:ESP FI:FIN FR:FRA GR:GRC HR:HRV ' +
    'HU:HUN IE:IRL IS:ISL IT:ITA LI:LIE LT:LTU LU:LUX LV:LVA MD:MDA ME:MNE MK:MKD MT:MLT NL:NLD NO:NOR PL:POL PT:PRT RO:ROU ' +
    'RS:SRB SE:SWE SI:SVN SK:SVK TR:TUR UA:UKR UK:GBR XK:XKX'
  )
    .split(' ')
    .map((pair): [string, string] => [pair.slice(0, 2), pair.slice(3)]),
)

/** The country that a place lies in (ISO 3166-1 alpha-3), read off its IRI; `null` where no place tells one: a union of countries is none. */
function countryOf(places: Iterable<string>): string | null {
  for (const iri of places) {
    const region = nuts.exec(iri)?.[1]
    if (region !== undefined) {
      const country = regions.get(region.toUpperCase())
      if (country !== undefined) return country
    }
    const code = authority.exec(iri)?.[1]
    if (code === undefined || code === 'EUR') continue
    const country = special[code] ?? code
    if (/^[A-Z]{3}$/.test(country)) return country
  }
  return null
}
