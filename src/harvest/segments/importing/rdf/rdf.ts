/** The RDF importer: documents and Hydra collections in every format, record by record. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import { pageGuard } from '../../gathering/page-guard.ts'
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext, ImporterKind } from '../../importer.ts'
import type { Source, SourceRequest } from '../../source.ts'
import { validatorOf } from '../../validators.ts'
import { rdfConfig, type RdfConfig } from './config.ts'
import type { Document } from './document.ts'
import { fetchDocument, type Fetching } from './fetch-document.ts'
import { acceptRdf } from './format.ts'
import { linkedNext, nextPage } from './next-page.ts'
import { records } from './records.ts'
import { unchangedSince } from './unchanged.ts'

export const rdfImporter: ImporterKind<RdfConfig> = {
  names: ['importing-rdf', 'importing-dcat', 'rdf-importer'],
  version: 1,
  config: rdfConfig,
  import: importRdf,
}

type Config = RdfConfig & ImportConfig

async function* importRdf(
  config: Config,
  source: Source,
  context: ImportContext,
  signal: AbortSignal,
): AsyncGenerator<Found, void> {
  const fetching: Fetching = { config, source, context }
  const request: SourceRequest = {
    accept: config.accept ?? acceptRdf,
    maxBytes: context.limits.maxDocumentBytes,
    paged: true,
  }
  const first = await unchangedSince(fetching, request, signal)
  if (first === 'not-modified') {
    yield { kind: 'end', as: 'not-modified' }
    return
  }
  const guard = pageGuard()
  let total: number | undefined
  let document = first ?? (await fetchDocument(fetching, config.address, request, signal))
  for (let url = config.address; ;) {
    let next: string | undefined
    try {
      guard.body(document.hash)
      context.validate(validatorOf(url, document.headers, document.hash))
      tellDropped(context, document)
      const paging = document.hydra.paging(document.url)
      total = paging.total ?? total
      if (paging.total !== undefined) yield { kind: 'total', total: paging.total }
      yield* records(document, config)
      const link = paging.next ?? linkedNext(document.headers.get('link'))
      yield { kind: 'page' }
      next = link === undefined ? undefined : nextPage(link, { ...config, url: document.address })
    } finally {
      document.close()
    }
    if (next === undefined) return
    const following = await pageOrEnd(fetching, next, { request, total }, signal)
    if (!following) return
    url = next
    document = following
  }
}

type Asking = { readonly request: SourceRequest; readonly total: number | undefined }

/** A next page that is not there is the end of a collection whose total tells whether it is whole. */
async function pageOrEnd(
  fetching: Fetching,
  url: string,
  { request, total }: Asking,
  signal: AbortSignal,
): Promise<Document | undefined> {
  try {
    return await fetchDocument(fetching, url, request, signal)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
    if (total !== undefined) return undefined
    throw new Failure('source-error', `The next page is not there: ${error.detail}`, {
      cause: error,
    })
  }
}

/** What was left out belongs to no record any more. */
function tellDropped({ log, runId, pipe }: ImportContext, { repairs, url }: Document): void {
  if (repairs.dropped.length > 0)
    log.warn({ runId, pipe, url, dropped: repairs.dropped }, 'harvest.dropped')
}
