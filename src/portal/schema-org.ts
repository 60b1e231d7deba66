/** Records as schema.org, as Google Dataset Search reads them; a property without a valid value is absent. */

import type { Fields } from '../text/json.ts'
import type { PageContext } from './context.ts'
import { safeAddress } from './html.ts'
import { plainDescription } from './parts/hits.ts'
import { boxesOf } from './parts/map.ts'
import { fieldsAt, listed, memberFields, sharedLicence, textAt, textOr, valueAt } from './record.ts'

const [shortest, longest] = [50, 5000]

/** Without members that are `undefined` or empty lists. */
const present = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([, one]) => one !== undefined && !(Array.isArray(one) && one.length === 0),
    ),
  )

const webAddress = (value: unknown): string | undefined => {
  const safe = safeAddress(value)
  return safe?.startsWith('http') === true ? safe : undefined
}

/** `schema:Dataset` of a dataset. `page` is the address of its page. */
export function datasetSchema(context: PageContext, record: Fields, page: string): object {
  const catalogue = fieldsAt(record, 'catalog')
  const licence = memberFields(sharedLicence(record))
  const access = textAt(record, 'access_right.id')
  return present({
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    '@id': textAt(record, 'resource'),
    name: context.plainTitle(record),
    description: describedAs(context, record),
    url: page,
    identifier: listed(record['identifier']).flatMap((one) => textOr(one) ?? []),
    sameAs: listed(record['landing_page']).flatMap(
      (one) => webAddress(memberFields(one)['resource'] ?? one) ?? [],
    ),
    keywords: keywordsOf(context, record),
    license: webAddress(licence['resource']),
    isAccessibleForFree: access === 'PUBLIC' ? true : undefined,
    creator: listed(record['creator']).flatMap((one) => party(context, one) ?? []),
    publisher: party(context, record['publisher']),
    datePublished: textAt(record, 'issued'),
    dateModified: textAt(record, 'modified'),
    version: textAt(record, 'version_info'),
    temporalCoverage: listed(record['temporal']).flatMap(
      (one) => periodOf(memberFields(one)) ?? [],
    )[0],
    spatialCoverage: placesOf(context, record),
    distribution: listed(record['distributions']).map((one) =>
      downloadOf(context, memberFields(one), record),
    ),
    includedInDataCatalog:
      catalogue['id'] === undefined
        ? undefined
        : present({
            '@type': 'DataCatalog',
            name: context.plainTitle(catalogue),
            url: textAt(catalogue, 'resource'),
          }),
  })
}

/** Filled up where it is too short for search engines, cut at a sentence where it is too long. */
function describedAs(context: PageContext, record: Fields): string {
  const { t, formatsOf, nameOf, textOf } = context
  const text = plainDescription(textOf(record['description'], record)?.text ?? '')
  if (text.length > longest) {
    const cut = text.slice(0, longest)
    return cut.slice(0, Math.max(cut.lastIndexOf('. ') + 1, longest - 500))
  }
  if (text.length >= shortest) return text
  const publisher = nameOf(record['publisher'])
  const more = [
    publisher === undefined ? '' : t('schema-published', { publisher }),
    t('schema-formats', { formats: formatsOf(record).join(', ') || '–' }),
    t('schema-keywords', { keywords: keywordsOf(context, record).slice(0, 10).join(', ') || '–' }),
  ]
  return [text, ...more].filter((part) => part !== '').join(' ')
}

const keywordsOf = (context: PageContext, record: Fields): readonly string[] => [
  ...listed(record['keywords']).flatMap((one) => textAt(one, 'label') ?? []),
  ...listed(record['categories']).flatMap((one) => context.nameOf(one) ?? []),
]

function party(context: PageContext, value: unknown): object | undefined {
  const fields = memberFields(value)
  const name = context.nameOf(value)
  if (name === undefined) return undefined
  return present({
    '@type': fields['type'] === 'Person' ? 'Person' : 'Organization',
    name,
    url: webAddress(fields['homepage']),
    email: textAt(fields, 'email')?.replace(/^mailto:/, ''),
  })
}

/** `1987-01-01/..`: ISO 8601, open ends as two dots. */
function periodOf({ gte, lte }: Fields): string | undefined {
  const day = (value: unknown) => textOr(value)?.slice(0, 10)
  if (gte === undefined && lte === undefined) return undefined
  return `${day(gte) ?? '..'}/${day(lte) ?? '..'}`
}

function placesOf(context: PageContext, record: Fields): readonly object[] {
  const boxes = boxesOf(record['spatial']).map(([west, south, east, north]) => ({
    '@type': 'Place',
    geo: { '@type': 'GeoShape', box: `${south} ${west} ${north} ${east}` },
  }))
  const names = listed(record['spatial_resource']).flatMap((one) => context.nameOf(one) ?? [])
  return [...boxes, ...names.map((name) => ({ '@type': 'Place', name }))]
}

function downloadOf(context: PageContext, distribution: Fields, record: Fields): object {
  const [download] = listed(distribution['download_url'])
  const [access] = listed(distribution['access_url'])
  const size = Number(distribution['byte_size'])
  return present({
    '@type': 'DataDownload',
    name: context.textOf(distribution['title'], record)?.text,
    contentUrl: webAddress(download ?? access),
    encodingFormat: textAt(distribution, 'media_type') ?? context.nameOf(distribution['format']),
    contentSize: size > 0 ? String(size) : undefined,
    license: webAddress(valueAt(distribution, 'license.resource')),
  })
}

/** `schema:DataCatalog` of a catalogue. */
export const catalogueSchema = (context: PageContext, record: Fields, page: string): object =>
  present({
    '@context': 'https://schema.org',
    '@type': 'DataCatalog',
    '@id': textAt(record, 'resource'),
    name: context.plainTitle(record),
    description: describedAs(context, record),
    url: page,
    publisher: party(context, record['publisher']),
    license: webAddress(valueAt(record, 'license.resource')),
  })

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
