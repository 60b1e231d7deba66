/** Fetches a document of a source, straight into the parser or by way of a file. */
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext } from '../../importer.ts'
import type { Source, SourceRequest, SourceStream } from '../../source.ts'
import type { RdfConfig } from './config.ts'
import { readDocument, type Document, type Reading } from './document.ts'
import { spillFile } from './body/spill-file.ts'

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

/** How the documents of this import are read. */
export function readingOf({ config, context }: Fetching, signal: AbortSignal): Reading {
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
