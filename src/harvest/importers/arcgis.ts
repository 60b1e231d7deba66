/** The ArcGIS Hub importer: a feed of the whole site, or its records page by page when it has none. */

import { Failure, type Kind } from '../../errors.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { mapEntry } from './arcgis-mapping.ts'
import {
  arcgisConfig,
  type ArcgisConfig,
  type ArcgisRun,
  type ArcgisSite,
  feedAddresses,
  itemIn,
  recordCount,
  recordPages,
  siteOf,
} from './arcgis-records.ts'
import { contextOf, plainValue, type TermContext } from './arcgis-terms.ts'
import { mapPod, podIdentifier, podRestriction } from './datajson-mapping.ts'
import { type JsonDocument, openUnlessSame } from './documents.ts'
import { type Entry, envelopeFailure, foundEntry } from './entry.ts'
import type { Found } from './found.ts'
import type { ImporterKind } from './importer.ts'
import { portalOf, recordIn } from './portal.ts'
import { reportServices } from './rdf-document.ts'
import { validatorOf } from './source.ts'

type Finds = AsyncGenerator<Found, void>

export const arcgisImporter: ImporterKind<ArcgisConfig> = {
  names: ['importing-arcgis', 'importing-arcgishub', 'importing-arcgis-hub'],
  version: 2,
  config: arcgisConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Bearer ${value}` : value,
  }),
  import: async function* importArcgis(run) {
    yield* importFrom({ ...run, site: await portalOf(run, siteOf(run.config.address)) })
  },
}

const hour = 3_600_000

async function* importFrom(run: ArcgisRun): Finds {
  const { config, lastRun, now } = run
  const since = config.incremental ? lastRun?.getTime() : undefined
  const hours = since === undefined ? undefined : Math.ceil((now() - since) / hour) + 1
  let failure: Failure | undefined
  for (const url of feedAddresses(config, hours)) {
    const feed = await openFeed(run, url)
    if (!(feed instanceof Failure)) {
      yield* fromFeed(run, { feed, url, failure })
      return
    }
    failure ??= feed
  }
  try {
    yield* recordPages(run)
  } catch (error) {
    const isAbsent = error instanceof Failure && error.kind === 'source-not-found'
    throw isAbsent ? (failure ?? error) : error
  }
}

/** Feeds can be switched off, and break off while they are made; what is said of the site as a whole is final. */
const worthAnother: ReadonlySet<Kind> = new Set<Kind>([
  'source-not-found',
  'source-truncated',
  'source-error',
  'source-error-envelope',
  'source-html',
  'source-malformed',
  'source-timeout',
  'source-empty',
  'too-large',
])

/** Why the feed is of no use, when another may be. */
async function openFeed(
  run: ArcgisRun,
  url: string,
): Promise<JsonDocument | 'unchanged' | Failure> {
  try {
    const opened = await openUnlessSame(run, url)
    return typeof opened === 'string' ? 'unchanged' : await withDatasets(opened)
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof Failure && worthAnother.has(error.kind)) return error
    throw error
  }
}

type Opened = {
  readonly feed: JsonDocument | 'unchanged'
  readonly url: string
  /** Why this is not the feed that was wanted. */
  readonly failure: Failure | undefined
}

/** The records API tells how many there are, before and after: a feed has no total of its own. */
async function* fromFeed(run: ArcgisRun, { feed, url, failure }: Opened): Finds {
  if (feed === 'unchanged') {
    yield { kind: 'end', as: 'not-modified' }
    return
  }
  const before = run.config.incremental ? undefined : await recordCount(run)
  if (before !== undefined) yield { kind: 'total', total: before }
  try {
    run.validate(validatorOf(url, feed.headers, feed.hash))
    yield* feedFinds(run, feed)
    yield { kind: 'page' }
  } finally {
    await feed.close()
  }
  const after = before === undefined ? undefined : await recordCount(run)
  if (after !== undefined) yield { kind: 'total', total: after }
  // Nobody can tell whether another feed has the same datasets as the one that was wanted.
  else if (failure) yield { kind: 'end', as: 'incomplete', problem: failure }
}

// A feed of a site as a JSON document: its datasets, whichever of the two vocabularies it speaks.

/** DCAT-AP feeds have the first, or the second when somebody has reordered them; DCAT-US has the last. */
const lists = new Set(['dcat:dataset', '@graph', 'dataset'])
const serviceLists = new Set(['dcat:service', 'service'])

/** The document, if it has datasets or services or says that it has none. Closes it and throws what it is otherwise. */
async function withDatasets(document: JsonDocument): Promise<JsonDocument> {
  for await (const { list } of document.members())
    if (lists.has(list) || serviceLists.has(list)) return document
  if (/"(?:dcat:dataset|@graph|dataset)"\s*:/.test(document.start)) return document
  await document.close()
  throw envelopeFailure(valueOf(document.start), document.url)
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* feedFinds({ site, output, sink }: ArcgisRun, document: JsonDocument): Finds {
  const { findings } = document
  const terms: Record<string, unknown> = {}
  let only: Record<string, unknown> | undefined
  const readers = { ap: entryReader(site, contextOf(terms)), pod: podReader(site) }
  const found = (list: string, value: unknown) => {
    const read = list === 'dataset' ? readers.pod : readers.ap
    return foundEntry(value, { output, read, findings })
  }
  const services = new Set<string>()
  for await (const { list, key, value } of document.members()) {
    if (serviceLists.has(list)) {
      // A single one may be written without being a list: its members come one by one.
      services.add(typeof key === 'number' ? `${list} ${key}` : list)
    } else if (list === '@context') {
      terms[key] = value
      readers.ap = entryReader(site, contextOf(terms))
    } else if (lists.has(list)) {
      if (list === '@graph' && isService(value)) services.add(`${list} ${key}`)
      else if (typeof key === 'number') yield found(list, value)
      // A list of one may be written without being a list.
      else only = { ...only, [key]: value }
    }
  }
  if (only) yield found('dcat:dataset', only)
  reportServices(sink, { count: services.size, first: [] }, document.url)
}

/** Among the nodes of a graph there are others than datasets. */
const isService = (value: unknown) =>
  listOf(fieldsOf(value)['@type']).some((type) => plainText(type) === 'dcat:DataService')

const entryReader =
  (site: ArcgisSite, terms: TermContext) =>
  (fields: Fields): Entry => {
    const iri = plainText(fields['@id'])
    const identifier = [fields['dct:identifier']]
      .flat()
      .map(plainValue)
      .find((text) => text !== undefined)
    const ids = [identifier, iri].filter((id) => id !== undefined)
    const sourceId = ids.map(itemIn).find((id) => id !== undefined) ?? ids[0] ?? ''
    const page = [fields['dcat:landingPage']].flat().map(plainValue)[0]
    return {
      sourceId,
      aliases: ids.filter((id) => id !== sourceId),
      ...(page !== undefined && { sourceUrl: page }),
      lasting: fields,
      map: () => mapEntry(fields, { site, sourceId, terms }),
    }
  }

const podReader =
  (site: ArcgisSite) =>
  (fields: Fields): Entry => {
    const identifier = podIdentifier(fields)
    const sourceId = itemIn(identifier) ?? identifier
    const page = plainText(fields['landingPage'])
    return {
      sourceId,
      aliases: identifier === sourceId ? [] : [identifier],
      ...(page !== undefined && { sourceUrl: page }),
      skipped: podRestriction(fields),
      lasting: fields,
      map: () =>
        mapPod(fields, recordIn(site, `${site.root}/datasets/${encodeURIComponent(sourceId)}`)),
    }
  }
