/** The RDF importer: documents and Hydra collections in every format, record by record. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { spillFile, unpacked } from './documents.ts'
import type { Found } from './found.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { linkedNext, nextPage } from './next-page.ts'
import { type RdfDocument, readDocument, reportLosses } from './rdf-document.ts'
import { acceptRdf, formatNamed } from './rdf-format.ts'
import { records, Stubs } from './rdf-records.ts'
import { conditionsOf, type SourceRequest, type SourceStream, validatorOf } from './source.ts'

/** What the config of an RDF importer may say beside the common keys. */
const rdfConfig = z.object({
  inputFormat: z
    .string()
    .refine((name) => formatNamed(name) !== undefined, {
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

export const rdfImporter: ImporterKind<RdfConfig> = {
  names: ['importing-rdf', 'importing-dcat', 'rdf-importer'],
  version: 2,
  config: rdfConfig,
  import: importRdf,
}

/** JSON-LD up to so many bytes is read in one go. */
const inMemory = 16 * 1_048_576

function read(run: Run, answer: SourceStream): Promise<RdfDocument> {
  const { config, limits } = run
  return readDocument(answer, {
    run,
    inputFormat: config.inputFormat,
    repair: config.preProcessing,
    graph: config.graph,
    maxBytes: limits.maxDocumentBytes,
    inMemory: Math.min(inMemory, limits.maxPageBytes),
  })
}

/** The caller closes it. Throws what `Source.read` and `readDocument` throw. */
async function fetchDocument(run: Run, url: string, request: SourceRequest): Promise<RdfDocument> {
  const { source, config, scratch, signal } = run
  if (!config.alternativeLoad) return source.read(url, request, (answer) => read(run, answer))
  // The source is rid of us as soon as its bytes are here, however long reading takes.
  const { answer, file } = await source.read(url, request, async (streamed) => ({
    answer: streamed,
    file: await spillFile(scratch, streamed.body, signal),
  }))
  try {
    return await read(run, { ...answer, body: file.bytes() })
  } finally {
    await file.remove()
  }
}

async function* importRdf(run: Run): AsyncGenerator<Found, void> {
  const { config, limits, sink, validate } = run
  const request: SourceRequest = {
    accept: config.accept ?? acceptRdf,
    maxBytes: limits.maxDocumentBytes,
    paged: true,
  }
  const first = await unchangedSince(run, request)
  if (first === 'not-modified') {
    yield { kind: 'end', as: 'not-modified' }
    return
  }
  const stubs = new Stubs()
  let total: number | undefined
  let document = first ?? (await fetchDocument(run, config.address, request))
  for (let url = config.address; ;) {
    let next: string | undefined
    try {
      run.source.guard.body(document.hash)
      validate(validatorOf(url, document.headers, document.hash))
      reportLosses(sink, document)
      const paging = document.hydra.paging(document.url)
      total = paging.total ?? total
      if (paging.total !== undefined) yield { kind: 'total', total: paging.total }
      yield* records(document, config, { stubs })
      const link = paging.next ?? linkedNext(document.headers.get('link'))
      yield { kind: 'page' }
      next = link === undefined ? undefined : nextPage(link, { ...config, url: document.address })
    } finally {
      document.close()
    }
    if (next === undefined) break
    const following = await pageOrEnd(run, next, request)
    if (following instanceof Failure) {
      yield* stubs.left()
      // It may be the page behind the last one: the total tells.
      if (total === undefined) throw following
      yield { kind: 'end', as: 'cut', problem: following }
      return
    }
    url = next
    document = following
  }
  yield* stubs.left()
}

/** The next page, or why there is none. */
async function pageOrEnd(
  run: Run,
  url: string,
  request: SourceRequest,
): Promise<RdfDocument | Failure> {
  try {
    return await fetchDocument(run, url, request)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
    const detail = `A page that the source links is not there: ${error.detail}`
    return new Failure('source-not-found', detail, { cause: error })
  }
}

/**
 * Whether anything has changed since the last complete run. `not-modified`: every page answered 304, or the only document is
 * byte for byte the known one. A document that came in place of a 304 is handed back, so that it is not fetched twice;
 * `undefined`: there is nothing to compare with, or one of several pages has changed.
 */
async function unchangedSince(
  run: Run,
  request: SourceRequest,
): Promise<'not-modified' | RdfDocument | undefined> {
  const { source, validators, config } = run
  const [only] = validators
  if (!only || only.url !== config.address) return undefined
  const isSingle = validators.length === 1
  for (const validator of validators) {
    const headers = conditionsOf(validator)
    if (!isSingle && Object.keys(headers).length === 0) return undefined
    const conditional = { ...request, headers, accepts: [304], paged: isSingle }
    const document = await source.read(validator.url, conditional, async (answer) => {
      if (answer.status === 304) return undefined
      return isSingle ? otherDocument(run, answer, only.bodyHash) : 'changed'
    })
    if (document === 'changed') return undefined
    if (document !== undefined && document !== 'same') return document
  }
  for (const validator of validators) run.validate(validator)
  return 'not-modified'
}

/**
 * The document, unless its bytes have the hash: they go to a file first, because reading them costs fifty times as much as
 * hashing them. The caller closes it.
 */
async function otherDocument(
  run: Run,
  answer: SourceStream,
  known: string,
): Promise<RdfDocument | 'same'> {
  const { body, hash } = await unpacked(answer, run.limits.maxDocumentBytes)
  const file = await spillFile(run.scratch, body, run.signal)
  try {
    return hash() === known ? 'same' : await read(run, { ...answer, body: file.bytes() })
  } finally {
    await file.remove()
  }
}
