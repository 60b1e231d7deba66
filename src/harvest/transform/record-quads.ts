/** Parses records: in the workers of transformers, and in the main thread to find the id of a returned record without one. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'

/** A record as input of a transformer. */
export type InputRecord = {
  readonly mediaType: string
  readonly text: string
  /** Base of relative references. */
  readonly baseIri: string
}

/** Base IRI of a record without an address; a name that never resolves (RFC 6761). */
export const placeholderIri = 'https://record.invalid/'

/** Message when a transformation exceeds its limits or breaks its interpreter. */
export const overLimits = 'the transformation needs more than it may have'

/** Whether the record is plain JSON of the source instead of RDF. */
export const isForeignJson = ({ mediaType }: Pick<InputRecord, 'mediaType'>): boolean =>
  /^application\/([\w.-]+\+)?json\b/i.test(mediaType) && formatOfMediaType(mediaType) !== 'jsonld'

/** Parses the record. Throws transform-failed if it is no RDF or invalid. */
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
