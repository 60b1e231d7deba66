/** The OpenDataSoft (Huwise) importer: the list of datasets page by page, or as one export when it is too long for that. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { shownUrl } from '../../secrets.ts'
import { period } from '../mapping/coverage.ts'
import { distribution, exportFile } from '../mapping/distribution.ts'
import { fromHtml, type PropertyValues, write } from '../mapping/properties.ts'
import { type MappedRecord, mappingKeys, type Subject } from '../mapping/record.ts'
import { openUnlessSame } from './documents.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { nextPage } from './next-page.ts'
import {
  countOf,
  type EntryReader,
  envelopeFailure,
  foundEntry,
  lasting,
  listPages,
  type Portal,
  portalOf,
  recordIn,
  siteRoot,
} from './portal.ts'
import type { ImportEvent } from './reception.ts'
import { type JsonPage } from './source.ts'

// What the config of an OpenDataSoft importer may say, and from its datasets to DCAT-AP.

const most = 100
const texts = z.union([z.string(), z.array(z.string())])

export const opendatasoftConfig = z.object({
  ...mappingKeys,
  /** The platform gives 100 at most; more is cut to that. */
  pageSize: z
    .int()
    .positive()
    .default(most)
    .transform((size) => Math.min(size, most)),
  /** Which of the two is the source id; the other is an alias. */
  identifier: z.enum(['dataset_uid', 'dataset_id']).default('dataset_uid'),
  /** Condition in ODSQL. */
  where: z.string().optional(),
  /** Facet values that datasets must have, `publisher:City`. */
  refine: texts.optional(),
  /** Facet values that datasets must not have. */
  exclude: texts.optional(),
  /** Whether datasets that come from another domain are taken. */
  federated: z.boolean().default(true),
  /** Export formats that become distributions, instead of the usual ones. */
  formats: texts.optional(),
})
type OpendatasoftConfig = z.infer<typeof opendatasoftConfig>

/** A domain, and the root of its API. */
type Domain = Portal<OpendatasoftConfig> & { readonly api: string }

/** The ids of an entry, and whether it is for us. */
export const datasetReader =
  (domain: Domain): EntryReader =>
  (fields) => {
    const uid = plainText(fields['dataset_uid'])
    const slug = plainText(fields['dataset_id'])
    const ids = domain.config.identifier === 'dataset_id' ? [slug, uid] : [uid, slug]
    const [sourceId = '', ...aliases] = ids.filter((id) => id !== undefined)
    // Addresses are made of the readable id.
    const id = slug ?? sourceId
    const page = `${domain.root}/explore/dataset/${encodeURIComponent(id)}/`
    // Counts and processing times change without the dataset.
    const metas = fieldsOf(fields['metas'])
    const own = lasting(fieldsOf(metas['default']), ['records_count', 'metadata_processed'])
    return {
      sourceId,
      title: fieldsOf(metas['default'])['title'],
      aliases,
      sourceUrl: page,
      skipped: reasonToSkip(fields, domain.config),
      flaw: isJsonObject(fields['metas']) ? undefined : 'The dataset has no metas.',
      lasting: { ...fields, metas: { ...metas, default: own } },
      map: () => mapDataset(fields, { ...domain, id, sourceId, page }),
    }
  }

function reasonToSkip(fields: Fields, { federated }: OpendatasoftConfig): string | undefined {
  const metas = fieldsOf(fieldsOf(fields['metas'])['default'])
  const origins = [metas['source_domain'], metas['source_domain_address']].map(saidText)
  if (!federated && (metas['federated'] === true || origins.some(Boolean)))
    return 'comes from another domain'
  const files = [fields['attachments'], fields['alternative_exports'], metas['references']]
  const isEmpty = files.every((some) => listOf(some).length === 0)
  return fields['has_records'] === false && isEmpty ? 'has neither records nor files' : undefined
}

/** One dataset in its domain. */
type OpendatasoftDataset = Domain & {
  /** The readable id, of which addresses are made. */
  readonly id: string
  readonly sourceId: string
  /** The dataset's page. */
  readonly page: string
}

function mapDataset(fields: Fields, context: OpendatasoftDataset): MappedRecord {
  const { config, page, api, sourceId } = context
  const metas = fieldsOf(fields['metas'])
  const [own, cat] = [fieldsOf(metas['default']), fieldsOf(metas['dcat'])]
  const named = (name: string) => listOf(cat[name]).map((one) => ({ name: one }))
  // The language in which metadata is asked for, else the one that the dataset tells.
  const [first] = listOf(own['metadata_languages'])
  const tags = [config.filters?.['lang'], own['language'], first].map(saidText)
  const language = tags.find((tag) => /^[A-Za-z]{2,3}(?:-|$)/.test(tag ?? '')) ?? config.language
  const iri = `${api}/catalog/datasets/${encodeURIComponent(sourceId)}`
  const record = recordIn(context, iri, { language })
  const { dataset } = record
  const languages = [own['language'], own['metadata_languages']].map(listOf)
  write(dataset, {
    identifier: saidText(listOf(cat['identifier'])[0]) === undefined ? sourceId : cat['identifier'],
    title: own['title'],
    description: fromHtml(own['description']),
    keyword: own['keyword'],
    themes: own['theme'],
    landingPage: page,
    publisher: { name: own['publisher'] },
    creator: named('creator'),
    contributor: named('contributor'),
    contact: [{ name: cat['contact_name'], email: cat['contact_email'] }],
    issued: [cat['issued'], cat['created']],
    modified: [own['modified'], own['data_processed']],
    frequency: [cat['accrualperiodicity'], own['update_frequency']],
    language: languages.find(({ length }) => length > 0),
    conformsTo: cat['conforms_to'],
    accessLevel: cat['accessRights'],
    page: own['references'],
    provenance: listOf(own['attributions']),
    ...extent(dataset, own, cat),
  })
  dataset.link(dct('relation'), cat['relation'])
  origin(dataset, own)
  mapDistributions(dataset, fields, context)
  return record
}

function extent(dataset: Subject, own: Fields, cat: Fields): PropertyValues {
  // Codes of the platform's own gazetteer are worth a label only when there is no name.
  const names = [own['territory'], own['geographic_reference']].map(listOf)
  const { bbox } = own
  const [start, end] = [cat['temporal_coverage_start'], cat['temporal_coverage_end']]
  return {
    spatial: [...listOf(cat['spatial']), ...(names.find(({ length }) => length > 0) ?? [])],
    places: [Array.isArray(bbox) ? { bbox } : { geometry: fieldsOf(bbox)['geometry'] ?? bbox }],
    temporal: period(dataset, { start, end }) ? undefined : cat['temporal'],
  }
}

/** The domain and dataset that this one was taken from. */
function origin(dataset: Subject, own: Fields): void {
  const address = saidText(own['source_domain_address']) ?? saidText(own['source_domain'])
  const source = saidText(own['source_dataset'])
  const path = source === undefined ? '' : `explore/dataset/${encodeURIComponent(source)}/`
  if (/^[\w.-]+\.[a-z]{2,}$/i.test(address ?? ''))
    dataset.link(dct('source'), `https://${address}/${path}`)
  else dataset.lost(dct('source'), address)
}

// The ways to the data of a dataset: exports in every format, the query API, and files.

const usual = ['csv', 'json', 'xlsx']
const ofGeography = ['geojson', 'shp', 'kml']

function mapDistributions(dataset: Subject, fields: Fields, context: OpendatasoftDataset): void {
  const { api, id, sourceId, config } = context
  const own = fieldsOf(fieldsOf(fields['metas'])['default'])
  const licences = [{ url: own['license_url'], title: own['license'] }]
  const root = `${api}/catalog/datasets/${encodeURIComponent(id)}`
  const shipped = listOf(fields['features']).includes('geo') ? [...usual, ...ofGeography] : usual
  const chosen = [config.formats ?? shipped].flat().flatMap((text) => text.split(','))
  const formats = chosen.map((format) => format.trim())
  if (fields['has_records'] !== false) {
    for (const name of formats) {
      const url = `${root}/exports/${encodeURIComponent(name)}`
      exportFile(dataset, { id: sourceId, name, downloadUrl: url, licences })
    }
    exportFile(dataset, {
      id: sourceId,
      name: 'json',
      identifier: `${sourceId}/records`,
      accessUrl: `${root}/records`,
      licences,
      services: [{ title: { '': 'OpenDataSoft Explore API' }, endpoint: api }],
    })
  }
  for (const list of ['attachments', 'alternative_exports'])
    for (const { id: file, title, mimetype } of listOf(fields[list]).map(fieldsOf)) {
      const name = plainText(file)
      if (name === undefined)
        dataset.lost(dcat('distribution'), `${saidText(title) ?? 'one'} has no id`)
      else {
        // Inside addresses (`odsfile://`) are nobody's business; the public one is made of the ids.
        const url = `${root}/${list}/${encodeURIComponent(name)}`
        const about = { identifier: `${sourceId}/${list}/${name}`, title, mediaType: mimetype }
        distribution(dataset, { ...about, downloadUrl: url, licences })
      }
    }
}

type Run = ImportRun<OpendatasoftConfig>

export const opendatasoftImporter: ImporterKind<OpendatasoftConfig> = {
  names: ['importing-opendatasoft', 'importing-ods', 'importing-huwise'],
  version: 2,
  config: opendatasoftConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Apikey ${value}` : value,
  }),
  import: importOpendatasoft,
}

/** Offset and limit together stay below this. */
const window = 10_000

/** The two generations of the API, newest first. */
const generations = [
  { path: '/api/explore/v2.1', count: 'limit', from: 'offset' },
  { path: '/api/v2', count: 'rows', from: 'start' },
] as const

/** Addresses of one generation of the API. */
type Addresses = {
  readonly api: string
  /** A part of the list of datasets. */
  readonly list: (size: number, from: number) => string
  /** The whole list as one document, which has no limit. */
  readonly export: string
}

/** Goes by the link of the page where it has links, else by the number of datasets that came. */
async function* importOpendatasoft(run: Run): AsyncGenerator<ImportEvent, void> {
  const { config, output } = run
  const root = siteRoot(config.address, /\/(?:api|explore)(?:\/.*)?$/)
  const { first, addresses } = await firstPage(run, root)
  const read = datasetReader({ ...(await portalOf(run, root)), api: addresses.api })
  if (first.total !== undefined && first.total >= window) {
    yield { kind: 'total', total: first.total }
    yield* exported(run, addresses, read)
    return
  }
  let answer = first
  const ask = async ({ page, met }: { readonly page: number; readonly met: number }) => {
    if (page > 1) {
      const { url, links } = answer
      const next =
        links?.next === undefined
          ? addresses.list(Math.min(config.pageSize, window - 1 - met), met)
          : nextPage(links.next, { address: config.address, url, brokenHydra: false })
      answer = listIn(await askPatiently(run, next))
    }
    const { entries, links } = answer
    const isLast = links
      ? links.next === undefined
      : met + entries.length >= window - 1 || undefined
    return { ...answer, isLast }
  }
  yield* listPages({ output, read, ask, size: config.pageSize })
}

/** The first page of the newest API that the domain has. */
async function firstPage(run: Run, root: string) {
  let missing: unknown
  for (const { path, count, from } of generations) {
    const list = (size: number, at: number) =>
      `${root}${path}/catalog/datasets?${queryOf(run, { [count]: size, [from]: at })}`
    const all = `${root}${path}/catalog/exports/json?${queryOf(run, { [count]: -1 })}`
    const addresses: Addresses = { api: root + path, list, export: all }
    try {
      return { first: listIn(await askPatiently(run, list(run.config.pageSize, 0))), addresses }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
      missing ??= error
    }
  }
  throw missing
}

/** In an order that renaming and editing do not change much. */
function queryOf({ config, lastRun }: Run, portion: Readonly<Record<string, number>>): string {
  const { filters = {}, refine = [], exclude = [], incremental } = config
  const order = { order_by: 'dataset_id', timezone: 'UTC', include_app_metas: 'true' }
  const query = new URLSearchParams({ ...order, ...filters })
  const changed =
    incremental && lastRun ? `metadata_processed >= date'${lastRun.toISOString()}'` : undefined
  const conditions = [config.where, filters['where'], changed].filter((one) => one !== undefined)
  if (conditions.length > 1) query.set('where', conditions.map((one) => `(${one})`).join(' and '))
  else if (conditions[0] !== undefined) query.set('where', conditions[0])
  for (const value of [refine].flat()) query.append('refine', value)
  for (const value of [exclude].flat()) query.append('exclude', value)
  for (const [name, number] of Object.entries(portion)) query.set(name, String(number))
  return query.toString()
}

async function* exported(
  run: Run,
  addresses: Addresses,
  read: EntryReader,
): AsyncGenerator<ImportEvent, void> {
  const document = await openUnlessSame(run, addresses.export)
  if (typeof document === 'string') return
  const { output } = run
  const { findings } = document
  try {
    for await (const { list, key, value } of document.members())
      if (list === '') yield foundEntry(value, { output, read, findings, pointer: `/${key}` })
  } finally {
    await document.close()
  }
  yield { kind: 'page' }
  // A question for the total alone may come again.
  const { total } = listIn(await askPatiently(run, addresses.list(1, 0), false))
  if (total !== undefined) yield { kind: 'total', total }
}

/** One page of the list of datasets, as either generation of the API writes it. */
type ListAnswer = {
  readonly url: string
  readonly total: number | undefined
  readonly entries: readonly unknown[]
  readonly pointer: string
  /** Where pages have links: the one to the next page, unless this is the last. */
  readonly links?: { readonly next: string | undefined }
  readonly findings: readonly Finding[]
}

/** Throws `source-error-envelope` and `source-malformed`. */
function listIn({ value, url, findings }: JsonPage): ListAnswer {
  const { total_count: count, results, datasets, links } = fieldsOf(value)
  const about = { url, total: countOf(count), findings }
  if (Array.isArray(results)) return { ...about, entries: results, pointer: '/results' }
  if (!Array.isArray(datasets)) throw envelopeFailure(value, url)
  const entries = datasets.map((one: unknown) => fieldsOf(one)['dataset'])
  const link = listOf(links)
    .map(fieldsOf)
    .find((one) => one['rel'] === 'next')
  const next = plainText(link?.['href'])
  return { ...about, entries, pointer: '/datasets', links: { next } }
}

/** Domains have a daily quota and say in the body when it begins anew. */
const mostWaits = 3

/** Throws what `Source.json` throws; `source-throttled` names the time at which the quota begins anew. */
async function askPatiently(run: Run, url: string, paged = true): Promise<JsonPage> {
  const { source, limits, signal, now, pause } = run
  for (let waits = 0; ; waits += 1) {
    const answer = await source.json(url, { accepts: [429], paged: paged && waits === 0 })
    if (answer.status !== 429) return answer
    const time = plainText(fieldsOf(answer.value)['reset_time']) ?? ''
    const wait = Math.max(0, Date.parse(time) - now())
    if (wait <= limits.retryAfterMaxMs && waits < mostWaits) await pause(wait, signal)
    else {
      const isTold = !Number.isNaN(wait)
      const seconds = isTold ? wait / 1000 : Number(answer.headers.get('retry-after') ?? Number.NaN)
      const when = isTold ? ` and asks us to come back at ${time.slice(0, 40)}` : ''
      throw new Failure('source-throttled', `${shownUrl(answer.url)} answered 429${when}.`, {
        ...(Number.isFinite(seconds) && { retryAfter: Math.ceil(seconds) }),
      })
    }
  }
}
