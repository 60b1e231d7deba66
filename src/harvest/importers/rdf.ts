/** The RDF importer: documents and Hydra collections in every format, record by record. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Validator } from '../../pipe/message.ts'
import { formatByName } from '../../rdf/media-types.ts'
import { fetchDocument, type StoredDocument } from './documents.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { PageJoin } from './joined-pages.ts'
import { linkedNext, nextPage } from './next-page.ts'
import { noDataset, readRdfDocument } from './rdf-document.ts'
import { acceptRdf } from './rdf-format.ts'
import { recordBounds, recordsOf, StubDatasets } from './rdf-records.ts'
import { iriAsAddress } from './removal-check.ts'
import { conditionsOf, validatorOf } from './source.ts'

/** Config of an RDF importer beside the common keys. */
const rdfConfig = z.object({
  inputFormat: z
    .string()
    .refine((name) => formatByName(name) !== undefined, {
      error: 'must be an RDF format: turtle, n3, n-triples, n-quads, trig, rdf/xml or json-ld',
    })
    .optional(),
  /** `Accept` header. */
  accept: z.string().optional(),
  /** Whether only the query of the next link is used, with scheme, host and path of the configured address. */
  brokenHydra: z.boolean().default(false),
  /** Uses the part of an IRI after the last slash as identifier. */
  removePrefix: z.boolean().default(false),
  /** Whether the IRI precedes `dct:identifier`. */
  precedenceUriRef: z.boolean().default(false),
  /** The only named graph to read. */
  graph: z.string().optional(),
})
type RdfConfig = z.infer<typeof rdfConfig>

type Run = ImportRun<RdfConfig>

/** Importer of single documents, and of pages linked by Hydra or `Link` headers. */
export const rdfImporter: ImporterKind<RdfConfig> = {
  names: ['importing-rdf', 'importing-dcat', 'rdf-importer'],
  version: 2,
  config: rdfConfig,
  addressesOf: iriAsAddress,
  import: importRdf,
}

const fetchPage = (run: Run, url: string, validator?: Validator) =>
  fetchDocument(run, url, {
    accept: run.config.accept ?? acceptRdf,
    paged: true,
    believesType: run.config.inputFormat === undefined,
    validator,
  })

/** Reads pages until none is linked; nothing if all pages of the last run answer 304, or its only document is unchanged. */
async function* importRdf(run: Run): AsyncGenerator<ImportEvent, void> {
  const { config, validators } = run
  const stored = validators[0]?.url === config.address ? validators : []
  const isSame = stored.length > 1 && (await areUnmodified(run))
  const [onlyValidator] = stored.length === 1 ? stored : []
  const first = isSame ? 'unchanged' : await fetchPage(run, config.address, onlyValidator)
  if (typeof first === 'string') {
    yield { kind: 'end', outcome: 'not-modified' }
    return
  }
  const stubs = new StubDatasets()
  const join = new PageJoin(run.limits.maxDocumentBytes, recordBounds)
  try {
    const pages: Pages = { stubs, join, isCatalogue: false, missingContent: '' }
    yield* readPages(run, pages, first)
  } finally {
    join.close()
  }
}

async function* readPages(
  run: Run,
  pages: Pages,
  first: StoredDocument,
): AsyncGenerator<ImportEvent, void> {
  const { config, source } = run
  for (let [url, stored]: [string, StoredDocument] = [config.address, first]; ;) {
    source.recordBody(stored.hash)
    const next = yield* readPage(run, pages, { url, stored })
    const isOver = next !== undefined && run.isOver()
    const following =
      next === undefined || isOver ? undefined : await fetchPage(run, next).catch(linkedFailure)
    if (following === undefined || following instanceof Failure) {
      yield* pages.join.finish()
      yield* pages.stubs.finish()
      if (following) throw following
      if (isOver) yield { kind: 'end', outcome: 'over' }
      else if (!pages.isCatalogue) yield noDataset(run, pages.missingContent)
      return
    }
    if (typeof following === 'string') throw new Error(`${following} is not to be expected`)
    url = next ?? ''
    stored = following
  }
}

/** Failure for a linked page that is missing; throws all others. */
function linkedFailure(error: unknown): Failure {
  if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
  const detail = `A page that the source links is not there: ${error.detail}`
  return new Failure('source-not-found', detail, { cause: error })
}

/** State of reading the pages of one pass. */
type Pages = {
  readonly stubs: StubDatasets
  readonly join: PageJoin
  /** Whether a page had catalogue content, and why the first one had none. */
  isCatalogue: boolean
  missingContent: string
}

/** Yields the records of one page; returns the address of the next one. */
async function* readPage(
  { config, limits, sink, source, addValidator }: Run,
  pages: Pages,
  { url, stored }: { readonly url: string; readonly stored: StoredDocument },
): AsyncGenerator<ImportEvent, string | undefined> {
  const { inputFormat, graph, preProcessing: repair } = config
  const wrongType = (fault: string) => source.assume(url, 'wrong-media-type', fault)
  const reading = { inputFormat, graph, repair, inMemory: limits.maxPageBytes, wrongType }
  const document = await readRdfDocument(stored, reading)
  addValidator(validatorOf(url, stored.headers, stored.hash))
  const { hydra } = document
  const total = hydra.total()
  if (total !== undefined) yield { kind: 'total', total }
  const { missingContent } = document
  pages.isCatalogue ||= missingContent === undefined
  pages.missingContent ||= missingContent ?? ''
  const { stubs, join } = pages
  const link = hydra.next(document.url) ?? linkedNext(stored.headers.get('link'))
  const isPaged = link !== undefined || join.pages > 0
  const isNew = isPaged && join.add(document.spool, stored.size, document.url)
  let records = 0
  const choice = { stubs, join: isPaged ? join : undefined }
  for await (const item of recordsOf(document, choice, { sink, naming: config })) {
    if (item.kind !== 'skipped') records += 1
    yield item
  }
  // A page that only repeats records is not new.
  yield { kind: 'page', hasNews: records === 0 && isNew }
  return link === undefined ? undefined : nextPage(link, { ...config, url: stored.url })
}

/** Whether every page of the last complete run answers 304; their validators are kept then. */
async function areUnmodified(run: Run): Promise<boolean> {
  const { source, validators, config } = run
  for (const validator of validators) {
    const headers = conditionsOf(validator)
    if (Object.keys(headers).length === 0) return false
    const request = { accept: config.accept ?? acceptRdf, headers, accepts: [304] }
    const status = await source.read(validator.url, request, async (answer) => answer.status)
    if (status !== 304) return false
  }
  for (const validator of validators) run.addValidator(validator)
  return true
}
