/** Records as schema.org for search engines such as Google Dataset Search; properties without a valid value are absent. */

import { type Fields, listed, textAt, valueAt } from '../text/json.ts'
import { doiIn, identifiersOf } from './citations.ts'
import { mostEntries, type PageContext } from './context.ts'
import { webAddress } from './html.ts'
import { plainDescription } from './parts/hits.ts'
import { boxesOf } from '../vocabularies/geometry.ts'
import { fieldsAt, listAt, sharedLicence, textsAt } from './record.ts'

/** Least and most characters of a description. */
const [shortest, longest] = [50, 5000]

/** Leaves out members that are `undefined` or empty lists; `undefined` in lists does not count. */
function withoutEmpty(members: Readonly<Record<string, unknown>>): object {
  const filled = Object.entries(members).map(([name, value]): [string, unknown] => {
    const list = Array.isArray(value) && value.filter((entry) => entry !== undefined)
    return [name, list ? (list.length > 0 ? list : undefined) : value]
  })
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
}

/** Members that datasets and catalogues have in common. */
const common = (context: PageContext, record: Fields, page: string) => ({
  '@context': 'https://schema.org',
  '@id': textAt(record, 'resource'),
  name: context.plainTitle(record),
  description: descriptionOf(context, record, page),
  url: page,
  publisher: party(context, record['publisher']),
})

/** `schema:Dataset` of a dataset. `page` is the URL of its page. */
export function datasetSchema(context: PageContext, record: Fields, page: string): object {
  const catalogue = fieldsAt(record, 'catalog')
  const memberOf = {
    '@type': 'DataCatalog',
    name: context.plainTitle(catalogue),
    url: textAt(catalogue, 'resource'),
  }
  return withoutEmpty({
    ...common(context, record, page),
    '@type': 'Dataset',
    identifier: identifiersOf(record).map(identifierSchema),
    sameAs: textsAt(record, 'landing_page').map(webAddress),
    keywords: keywordsOf(context, record),
    license: webAddress(valueAt(sharedLicence(record), 'resource')),
    isAccessibleForFree: textAt(record, 'access_right.id') === 'PUBLIC' || undefined,
    creator: listed(record['creator']).map((agent) => party(context, agent)),
    datePublished: textAt(record, 'issued'),
    dateModified: textAt(record, 'modified'),
    isPartOf: iriReferences(record, 'in_series', 'is_version_of'),
    hasPart: iriReferences(record, 'has_version'),
    version: textAt(record, 'version_info'),
    temporalCoverage: listAt(record, 'temporal').map(periodOf).find(Boolean),
    spatialCoverage: placesOf(context, record),
    distribution: listAt(record, 'distributions')
      .slice(0, mostEntries)
      .map((distribution) => downloadOf(context, distribution, record)),
    includedInDataCatalog: 'id' in catalogue ? withoutEmpty(memberOf) : undefined,
  })
}

/** An identifier as text, a DOI as `schema:PropertyValue`. */
function identifierSchema(identifier: string): string | object {
  const doi = doiIn(identifier)
  if (doi === undefined) return identifier
  const url = `https://doi.org/${doi}`
  return { '@type': 'PropertyValue', propertyID: 'DOI', value: doi, url }
}

/** References to the http(s) IRIs among the values of some fields. */
const iriReferences = (record: Fields, ...names: readonly string[]) =>
  names
    .flatMap((name) => textsAt(record, name))
    .flatMap((iri) => webAddress(iri) ?? [])
    .map((iri) => ({ '@id': iri }))

/** `schema:DataCatalog` of a catalogue. `page` is the URL of its page. */
export const catalogueSchema = (context: PageContext, record: Fields, page: string): object =>
  withoutEmpty({
    ...common(context, record, page),
    '@type': 'DataCatalog',
    license: webAddress(valueAt(record, 'license.resource')),
  })

/**
 * Description in the length that search engines take: a short one is completed with publisher, catalogue, formats, keywords and,
 * if it is still short, the URL of the page; a long one is cut after a word.
 */
function descriptionOf(context: PageContext, record: Fields, page: string): string {
  const { t, formatsOf, nameOf, textOf } = context
  const text = plainDescription(textOf(record['description'], record)?.text ?? '', 4 * longest)
  if (text.length >= shortest) return cutAtWord(text)
  const [publisher, catalogue] = [nameOf(record['publisher']), nameOf(record['catalog'])]
  const formats = formatsOf(record).join(', ')
  const keywords = keywordsOf(context, record).slice(0, 10).join(', ')
  const sentences = [
    publisher !== undefined && t('schema-published', { publisher }),
    catalogue !== undefined && t('schema-catalogue', { catalogue }),
    formats !== '' && t('schema-formats', { formats }),
    keywords !== '' && t('schema-keywords', { keywords }),
  ]
  const completed = [text, ...sentences].filter(Boolean).join(' ')
  return cutAtWord(
    completed.length < shortest ? `${completed} ${t('schema-page', { page })}`.trim() : completed,
  )
}

function cutAtWord(text: string): string {
  if (text.length <= longest) return text
  const cut = text.slice(0, longest + 1).replace(/\s+\S*$/, '')
  return cut.length <= longest ? cut : cut.slice(0, longest).replace(/[\ud800-\udbff]$/, '')
}

const keywordsOf = (context: PageContext, record: Fields): readonly string[] => [
  ...context.keywordsOf(record).flatMap((keyword) => textAt(keyword, 'label') ?? []),
  ...listed(record['categories']).flatMap((category) => context.nameOf(category) ?? []),
]

function party({ nameOf }: PageContext, value: unknown): object | undefined {
  const name = nameOf(value)
  if (name === undefined) return undefined
  return withoutEmpty({
    '@type': textAt(value, 'type') === 'Person' ? 'Person' : 'Organization',
    name,
    url: webAddress(valueAt(value, 'homepage')),
    email: textAt(value, 'email')?.replace(/^mailto:/, ''),
  })
}

/** Period in ISO 8601 such as `1987-01-01/..` (open end) or `2020` (begin and end are equal). */
function periodOf(period: Fields): string | undefined {
  const [from, to] = ['gte', 'lte'].map((end) => textAt(period, end)?.replace('T00:00:00Z', ''))
  if (from !== undefined && from === to && !from.includes('T')) return from
  return from === undefined && to === undefined ? undefined : `${from ?? '..'}/${to ?? '..'}`
}

function placesOf({ nameOf }: PageContext, record: Fields): readonly object[] {
  const boxes = listed(record['spatial'])
    .flatMap(boxesOf)
    .map(([west, south, east, north]) => ({
      '@type': 'Place',
      geo: { '@type': 'GeoShape', box: `${south} ${west} ${north} ${east}` },
    }))
  const names = listed(record['spatial_resource']).flatMap((place) => nameOf(place) ?? [])
  return [...boxes, ...names.map((name) => ({ '@type': 'Place', name }))]
}

function downloadOf(context: PageContext, distribution: Fields, record: Fields): object {
  const [address] = [...listed(distribution['download_url']), ...listed(distribution['access_url'])]
  const size = Number(distribution['byte_size'])
  return withoutEmpty({
    '@type': 'DataDownload',
    name: context.textOf(distribution['title'], record)?.text,
    contentUrl: webAddress(address),
    encodingFormat: textAt(distribution, 'media_type') ?? context.nameOf(distribution['format']),
    contentSize: size > 0 ? String(size) : undefined,
    license: webAddress(valueAt(distribution, 'license.resource')),
  })
}

/** `schema:WebSite` of the home page, with its search. */
export const siteSchema = ({ root, language }: PageContext, name: string): object => ({
  '@context': 'https://schema.org',
  '@type': 'WebSite',
  name,
  url: `${root}${language}/`,
  potentialAction: {
    '@type': 'SearchAction',
    target: `${root}${language}/datasets?q={q}`,
    'query-input': 'required name=q',
  },
})
