/** Fetches a document of a source, straight into the parser or by way of a file. */
import { z } from 'zod'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext } from './importer.ts'
import type { Source, SourceRequest, SourceStream } from './source.ts'
import { formatNamed } from './rdf-format.ts'
import { digested, readDocument, type Document, type Reading } from './rdf-document.ts'
import { spillFile } from './spill-file.ts'

export const rdfConfig = z.object({
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
export type RdfConfig = z.infer<typeof rdfConfig>

export type Fetching = {
  readonly config: RdfConfig & ImportConfig
  readonly source: Source
  readonly context: ImportContext
}

/** JSON-LD up to so many bytes is read in one go. */
const inMemory = 16 * 1_048_576

/** The caller closes it. Throws what `Source.read` and `readDocument` throw. */
export function fetchDocument(
  fetching: Fetching,
  url: string,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<Document> {
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
export async function otherDocument(
  fetching: Fetching,
  answer: SourceStream,
  hash: string,
  signal: AbortSignal,
): Promise<Document | 'same'> {
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
