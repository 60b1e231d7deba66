/** The ArcGIS Hub importer: a feed of the whole site, or its records page by page when it has none. */

import { Failure, type Kind } from '../../errors.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { feedFinds, withDatasets } from './arcgis-feed.ts'
import { recordCount, recordPages } from './arcgis-records.ts'
import {
  arcgisConfig,
  feedAddresses,
  siteOf,
  type ArcgisConfig,
  type Travel,
} from './arcgis-site.ts'
import type { Found } from './found.ts'
import type { ImporterKind } from './importer.ts'
import { type JsonDocument, openUnlessSame } from './json-document.ts'
import { validatorOf } from './source.ts'

type Finds = AsyncGenerator<Found, void>

export const arcgisImporter: ImporterKind<ArcgisConfig> = {
  names: ['importing-arcgis', 'importing-arcgishub', 'importing-arcgis-hub'],
  version: 2,
  config: arcgisConfig,
  credentials: (value, header) => ({
    [header]: header === 'Authorization' && !/\s/.test(value) ? `Bearer ${value}` : value,
  }),
  import: async function* importArcgis(config, source, context, signal) {
    const site = { config, authorities: await shippedAuthorities(), root: siteOf(config.address) }
    yield* importFrom({ config, source, context, site }, signal)
  },
}

const hour = 3_600_000

async function* importFrom(travel: Travel, signal: AbortSignal): Finds {
  const { config, context } = travel
  const since = config.incremental ? context.lastRun?.getTime() : undefined
  const hours = since === undefined ? undefined : Math.ceil((context.now() - since) / hour) + 1
  let failure: Failure | undefined
  for (const url of feedAddresses(config, hours)) {
    const feed = await openFeed(travel, url, signal)
    if (!(feed instanceof Failure)) {
      yield* fromFeed(travel, { feed, url, failure })
      return
    }
    failure ??= feed
  }
  try {
    yield* recordPages(travel)
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
  travel: Travel,
  url: string,
  signal: AbortSignal,
): Promise<JsonDocument | 'unchanged' | Failure> {
  try {
    const found = await openUnlessSame(travel, { url }, signal)
    return typeof found === 'string' ? 'unchanged' : await withDatasets(found)
  } catch (error) {
    signal.throwIfAborted()
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
async function* fromFeed(travel: Travel, { feed, url, failure }: Opened): Finds {
  if (feed === 'unchanged') {
    yield { kind: 'end', as: 'not-modified' }
    return
  }
  const { config, context } = travel
  const isCounted = !config.incremental
  const before = isCounted ? await recordCount(travel) : undefined
  if (before !== undefined) yield { kind: 'total', total: before }
  try {
    context.validate(validatorOf(url, feed.headers, feed.hash))
    yield* feedFinds(travel, feed)
    yield { kind: 'page' }
  } finally {
    await feed.close()
  }
  const after = before === undefined ? undefined : await recordCount(travel)
  if (after !== undefined) yield { kind: 'total', total: after }
  // Nobody can tell whether another feed has the same datasets as the one that was wanted.
  else if (failure) yield { kind: 'end', as: 'incomplete', problem: failure }
}
