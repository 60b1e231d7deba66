/** A record as it comes from an importer, as quads. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'

/** A record as it enters a transformer. */
export type InputRecord = {
  readonly mediaType: string
  readonly text: string
  /** Relative references are resolved against it. */
  readonly baseIri: string
}

/** Where a record is that does not say where it comes from: a name that never leads anywhere (RFC 6761). */
export const placeholderIri = 'https://record.invalid/'

/** Said when a transformation breaks its bounds or its interpreter. */
export const overLimits = 'the transformation needs more than it may have'

/** Whether the record is JSON of the source's own making, and no RDF. */
export const isForeignJson = ({ mediaType }: Pick<InputRecord, 'mediaType'>): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(mediaType) && formatOfMediaType(mediaType) !== 'jsonld'

/** Throws `Failure` transform-failed. */
export async function quadsOf({ mediaType, text, baseIri }: InputRecord): Promise<Quad[]> {
  const format = formatOfMediaType(mediaType)
  if (!format) {
    throw new Failure(
      'transform-failed',
      'the record is no RDF; set "output": "dcat-ap" in the config of the importer',
    )
  }
  try {
    return await parse(text, format, { baseIri })
  } catch (cause) {
    const why = cause instanceof Failure ? `: ${cause.detail}` : ''
    throw new Failure('transform-failed', `the record cannot be read${why}`, { cause })
  }
}
