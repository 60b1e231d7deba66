/** The authority tables that come with the product, as lookups for mappings. */
import { readFile } from 'node:fs/promises'
import { ctl, dc, rdf, skos } from '../../../../rdf/namespaces.ts'
import { parse } from '../../../../rdf/parse.ts'
import { graphOf, type Graph } from '../../../../rdf/read.ts'
import { alike, squashed } from './spellings.ts'

const files = {
  format: 'file-type',
  licence: 'licence',
  language: 'language',
  country: 'country',
  theme: 'data-theme',
  access: 'access-right',
  frequency: 'frequency',
  status: 'distribution-status',
  availability: 'planned-availability',
  datasetType: 'dataset-type',
  hvd: 'hvd-category',
  publisherType: 'adms-publisher-type',
} as const

export type AuthorityName = keyof typeof files

/** One vocabulary; every lookup gives an IRI. */
type Authority = {
  /** http or https, with or without `www.` and a slash at the end. */
  readonly byIri: (iri: string) => string | undefined
  /** Any case. */
  readonly byCode: (code: string) => string | undefined
  /** In any language; letters and digits alone count. */
  readonly byLabel: (label: string) => string | undefined
  readonly byAlpha2: (code: string) => string | undefined
  /** Only where one concept has the media type. */
  readonly byMediaType: (type: string) => string | undefined
  /** What concepts exactly match (`skos:exactMatch`) with their IRIs. */
  readonly matches: readonly (readonly [matched: string, iri: string])[]
}

export type Authorities = {
  readonly table: (name: AuthorityName) => Authority
  /** A media type as it is registered (IANA), whatever its case. */
  readonly mediaType: (type: string) => string | undefined
}

const shipped = new URL('../../../../../shapes/vocabularies/', import.meta.url)
let loaded: Promise<Authorities> | undefined

/** The tables, read once. */
export const shippedAuthorities = (): Promise<Authorities> => (loaded ??= load())

async function load(): Promise<Authorities> {
  const list = await readFile(new URL('iana-media-types.txt', shipped), 'utf8')
  const types = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const mediaTypes = new Map(types.map((type) => [type.toLowerCase(), type]))
  const names = Object.entries(files)
  const read = await Promise.all(names.map(async ([, file]) => authorityIn(`${file}.ttl`)))
  const tables = new Map<string, Authority>(
    names.flatMap(([name], at) => (read[at] ? [[name, read[at]] as const] : [])),
  )
  return {
    table: (name) => tables.get(name) ?? nothing,
    mediaType: (type) => mediaTypes.get(type.toLowerCase()),
  }
}

async function authorityIn(file: string): Promise<Authority> {
  const text = await readFile(new URL(file, shipped), 'utf8')
  return authorityOf(graphOf(await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' })))
}

const nobody = () => undefined
const nothing: Authority = {
  byIri: nobody,
  byCode: nobody,
  byLabel: nobody,
  byAlpha2: nobody,
  byMediaType: nobody,
  matches: [],
}

/** Current concepts before deprecated ones, longer codes first: `CC_BY_4_0` before `CC_BY`, which shares its label. */
function authorityOf(graph: Graph): Authority {
  const iris = graph.subjectsOf(rdf('type'), skos('Concept'))
  const codeOf = (iri: string) => graph.objects(iri, dc('identifier'))[0]?.value ?? ''
  const ordered = [...iris].sort((a, b) => codeOf(b).length - codeOf(a).length || (a < b ? -1 : 1))
  const valuesOf = (iri: string, ...predicates: Parameters<Graph['objects']>[1][]) =>
    predicates.flatMap((predicate) => graph.objects(iri, predicate).map(({ value }) => value))
  const lookup = (keysOf: (iri: string) => readonly string[]) => {
    const map = new Map<string, string>()
    for (const iri of ordered)
      for (const key of keysOf(iri)) if (key !== '' && !map.has(key)) map.set(key, iri)
    return map
  }
  const byIri = lookup((iri) => [alike(iri)])
  const byCode = lookup((iri) => [codeOf(iri).toLowerCase()])
  const byLabel = lookup((iri) =>
    valuesOf(iri, skos('prefLabel'), skos('altLabel')).map((label) => squashed(label)),
  )
  const byAlpha2 = lookup((iri) => valuesOf(iri, ctl('alpha2')))
  const all = iris.flatMap((iri) =>
    valuesOf(iri, ctl('mediaType')).map((type) => [type, iri] as const),
  )
  const byMediaType = Map.groupBy(all, ([type]) => type.toLowerCase())
  return {
    byIri: (iri) => byIri.get(alike(iri)),
    byCode: (code) => byCode.get(code.toLowerCase()),
    byLabel: (label) => byLabel.get(squashed(label)),
    byAlpha2: (code) => byAlpha2.get(code.toLowerCase()),
    byMediaType: (type) => {
      const found = byMediaType.get(type.toLowerCase()) ?? []
      return found.length === 1 ? found[0]?.[1] : undefined
    },
    matches: ordered.flatMap((iri) =>
      valuesOf(iri, skos('exactMatch')).map((matched) => [matched, iri] as const),
    ),
  }
}
