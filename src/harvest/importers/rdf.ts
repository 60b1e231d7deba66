/** The RDF importer: documents and Hydra collections in every format, record by record. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Validator } from '../../pipe/message.ts'
import { formatCalled } from '../../rdf/media-types.ts'
import { fetchDocument, type StoredDocument } from './documents.ts'
import type { ImportEvent } from './reception.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { linkedNext, nextPage } from './next-page.ts'
import { readRdfDocument } from './rdf-document.ts'
import { acceptRdf } from './rdf-format.ts'
import { recordsOf, Stubs } from './rdf-records.ts'
import { conditionsOf, validatorOf } from './source.ts'

/** What the config of an RDF importer may say beside the common keys. */
const rdfConfig = z.object({
  inputFormat: z
    .string()
    .refine((name) => formatCalled(name) !== undefined, {
      error: 'must be an RDF format: turtle, n3, n-triples, n-quads, trig, rdf/xml or json-ld',
    })
    .optional(),
  /** Sent as `Accept`. */
  accept: z.string().optional(),
  /** Of the next link only the query counts; scheme, host and path are those of the address. */
  brokenHydra: z.boolean().default(false),
  /** The identifier is what follows the last slash of an IRI. */
  removePrefix: z.boolean().default(false),
  /** The subject's IRI comes before `dct:identifier`. */
  precedenceUriRef: z.boolean().default(false),
  /** The only named graph that is read. */
  graph: z.string().optional(),
})
type RdfConfig = z.infer<typeof rdfConfig>

type Run = ImportRun<RdfConfig>

/** Single documents, and chains of pages by Hydra or `Link` headers. */
export const rdfImporter: ImporterKind<RdfConfig> = {
  names: ['importing-rdf', 'importing-dcat', 'rdf-importer'],
  version: 2,
  config: rdfConfig,
  import: importRdf,
}

const fetchPage = (run: Run, url: string, known?: Validator) =>
  fetchDocument(run, url, {
    accept: run.config.accept ?? acceptRdf,
    paged: true,
    believesType: run.config.inputFormat === undefined,
    known,
  })

/** Page by page, until none is linked. Nothing is asked for again when the last run's pages are all unchanged (304). */
async function* importRdf(run: Run): AsyncGenerator<ImportEvent, void> {
  const { config, source, validators } = run
  const known = validators[0]?.url === config.address ? validators : []
  const isSame = known.length > 1 && (await areUnmodified(run))
  const [only] = known.length === 1 ? known : []
  let stored = isSame ? 'unchanged' : await fetchPage(run, config.address, only)
  if (typeof stored === 'string') yield { kind: 'end', as: 'not-modified' }
  const stubs = new Stubs()
  let total: number | undefined
  let cut: Failure | undefined
  for (
    let url: string | undefined = config.address;
    url !== undefined && typeof stored !== 'string';
  ) {
    source.meetBody(stored.hash)
    const page: Page = yield* readPage(run, stubs, { url, stored })
    total = page.total ?? total
    url = page.next
    if (url === undefined) break
    const following = await pageOrEnd(run, url)
    if (following instanceof Failure) cut = following
    stored = following instanceof Failure ? 'absent' : following
  }
  yield* stubs.left()
  // A page that is not there may be the one after the last: the total tells.
  if (cut && total === undefined) throw cut
  if (cut) yield { kind: 'end', as: 'cut', problem: cut }
}

/** The total that a page declares, and the address of the one after it. */
type Page = { readonly total: number | undefined; readonly next: string | undefined }

/** The records of one page, and what it says about the others. */
async function* readPage(
  { config, limits, sink, validate }: Run,
  stubs: Stubs,
  { url, stored }: { readonly url: string; readonly stored: StoredDocument },
): AsyncGenerator<ImportEvent, Page> {
  const { inputFormat, graph, preProcessing: repair } = config
  const reading = { inputFormat, graph, repair, inMemory: limits.maxPageBytes }
  const document = await readRdfDocument(stored, reading)
  validate(validatorOf(url, stored.headers, stored.hash))
  const { hydra } = document
  const total = hydra.total()
  if (total !== undefined) yield { kind: 'total', total }
  yield* recordsOf(document, { stubs }, { sink, naming: config })
  yield { kind: 'page' }
  const link = hydra.next(document.url) ?? linkedNext(stored.headers.get('link'))
  const next = link === undefined ? undefined : nextPage(link, { ...config, url: stored.url })
  return { total, next }
}

/** The next page, or why there is none. */
async function pageOrEnd(run: Run, url: string): Promise<StoredDocument | Failure> {
  try {
    const stored = await fetchPage(run, url)
    if (typeof stored !== 'string') return stored
    throw new Error(`${stored} is not to be expected`)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
    const detail = `A page that the source links is not there: ${error.detail}`
    return new Failure('source-not-found', detail, { cause: error })
  }
}

/** Whether every page that the last complete run saw answers 304; then they are vouched for as they were. */
async function areUnmodified(run: Run): Promise<boolean> {
  const { source, validators, config } = run
  for (const validator of validators) {
    const headers = conditionsOf(validator)
    if (Object.keys(headers).length === 0) return false
    const request = { accept: config.accept ?? acceptRdf, headers, accepts: [304] }
    const status = await source.read(validator.url, request, async (answer) => answer.status)
    if (status !== 304) return false
  }
  for (const validator of validators) run.validate(validator)
  return true
}
