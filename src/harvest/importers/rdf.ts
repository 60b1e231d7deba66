/** The RDF importer: documents and Hydra collections in every format, record by record. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import { linkedNext, nextPage } from './next-page.ts'
import { pageGuard } from './open-source.ts'
import { digested, type RdfDocument, readDocument, type Reading } from './rdf-document.ts'
import { acceptRdf, formatNamed } from './rdf-format.ts'
import { tellLosses } from './rdf-losses.ts'
import { records, Stubs } from './rdf-records.ts'
import {
  conditionsOf,
  type Source,
  type SourceRequest,
  type SourceStream,
  validatorOf,
} from './source.ts'
import { spillFile } from './spill-file.ts'

// Fetches a document of a source, straight into the parser or by way of a file.

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

type Fetching = {
  readonly config: RdfConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
}

/** JSON-LD up to so many bytes is read in one go. */
const inMemory = 16 * 1_048_576

/** The caller closes it. Throws what `Source.read` and `readDocument` throw. */
function fetchDocument(
  fetching: Fetching,
  url: string,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<RdfDocument> {
  const { source, config, context } = fetching
  const reading = readingOf(fetching, signal)
  if (!config.alternativeLoad)
    return source.read(url, request, (answer) => readDocument(answer, reading))
  return fromFile()

  async function fromFile() {
    // The source is rid of us as soon as its bytes are here, however long reading takes.
    const kept = await source.read(url, request, async (answer) => ({
      answer,
      file: await spillFile(context.scratch, answer.body, signal),
    }))
    try {
      const answer: SourceStream = { ...kept.answer, body: kept.file.bytes() }
      return await readDocument(answer, reading)
    } finally {
      await kept.file.remove()
    }
  }
}

/**
 * The document, unless its bytes have the hash: they go to a file first, because reading them costs fifty times as much as
 * hashing them. The caller closes it.
 */
async function otherDocument(
  fetching: Fetching,
  answer: SourceStream,
  hash: string,
  signal: AbortSignal,
): Promise<RdfDocument | 'same'> {
  const reading = readingOf(fetching, signal)
  const digest = await digested(answer, reading)
  const file = await spillFile(fetching.context.scratch, digest.body, signal)
  try {
    if (digest.hash() === hash) return 'same'
    return await readDocument({ ...answer, body: file.bytes() }, reading)
  } finally {
    await file.remove()
  }
}

/** How the documents of this import are read. */
function readingOf({ config, context }: Fetching, signal: AbortSignal): Reading {
  return {
    inputFormat: config.inputFormat,
    repair: config.preProcessing,
    graph: config.graph,
    maxBytes: context.limits.maxDocumentBytes,
    spill: {
      from: Math.min(inMemory, context.limits.maxPageBytes),
      keep: (bytes) => spillFile(context.scratch, bytes, signal),
    },
  }
}

export const rdfImporter: ImporterKind<RdfConfig> = {
  names: ['importing-rdf', 'importing-dcat', 'rdf-importer'],
  version: 2,
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
  const choice = { stubs: new Stubs() }
  let total: number | undefined
  let document = first ?? (await fetchDocument(fetching, config.address, request, signal))
  for (let url = config.address; ;) {
    let next: string | undefined
    try {
      guard.body(document.hash)
      context.validate(validatorOf(url, document.headers, document.hash))
      tellLosses(context.sink, document)
      const paging = document.hydra.paging(document.url)
      total = paging.total ?? total
      if (paging.total !== undefined) yield { kind: 'total', total: paging.total }
      yield* records(document, config, choice)
      const link = paging.next ?? linkedNext(document.headers.get('link'))
      yield { kind: 'page' }
      next = link === undefined ? undefined : nextPage(link, { ...config, url: document.address })
    } finally {
      document.close()
    }
    if (next === undefined) break
    const following = await pageOrEnd(fetching, next, request, signal)
    if (following instanceof Failure) {
      yield* choice.stubs.left()
      // It may be the page behind the last one: the total tells.
      if (total === undefined) throw following
      yield { kind: 'end', as: 'cut', problem: following }
      return
    }
    url = next
    document = following
  }
  yield* choice.stubs.left()
}

/** The next page, or why there is none. */
async function pageOrEnd(
  fetching: Fetching,
  url: string,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<RdfDocument | Failure> {
  try {
    return await fetchDocument(fetching, url, request, signal)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'source-not-found') throw error
    const detail = `A page that the source links is not there: ${error.detail}`
    return new Failure('source-not-found', detail, { cause: error })
  }
}

// Asks the source whether anything has changed since the last complete run.

/**
 * `not-modified`: every page answered 304, or the only document is byte for byte the known one. A document that came in
 * place of a 304 is handed back, so that it is not fetched twice; `undefined`: there is nothing to compare with, or one of
 * several pages has changed.
 */
async function unchangedSince(
  fetching: Fetching,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<'not-modified' | RdfDocument | undefined> {
  const { source, context, config } = fetching
  const { validators } = context
  const [only] = validators
  if (!only || only.url !== config.address) return undefined
  const isSingle = validators.length === 1
  for (const validator of validators) {
    const headers = conditionsOf(validator)
    if (!isSingle && Object.keys(headers).length === 0) return undefined
    const conditional = { ...request, headers, accepts: [304], paged: isSingle }
    const document = await source.read(validator.url, conditional, async (answer) => {
      if (answer.status === 304) return undefined
      return isSingle ? otherDocument(fetching, answer, only.bodyHash, signal) : 'changed'
    })
    if (document === 'changed') return undefined
    if (document !== undefined && document !== 'same') return document
  }
  for (const validator of validators) context.validate(validator)
  return 'not-modified'
}
