/** The numbers that bound every transformation of one record. */

export type TransformLimits = {
  /** Running time of a script or of all queries of a segment, per record. */
  readonly scriptMs: number
  /** What may go by until a worker that does not stop by itself is ended; reading and writing RDF falls into it. */
  readonly graceMs: number
  /** Heap and stack of a script. */
  readonly scriptBytes: number
  readonly stackBytes: number
  /** A record before and after a script, as UTF-8. */
  readonly recordBytes: number
  /** Source text of a script, or of one query. */
  readonly sourceBytes: number
  /** Lines of `console.log` that one run may write, and the characters of each. */
  readonly logLines: number
  readonly logCharacters: number
  /** Triples that a query may leave of a record. */
  readonly triples: number
}

export const usualTransformLimits: TransformLimits = {
  scriptMs: 5_000,
  graceMs: 5_000,
  scriptBytes: 64 * 2 ** 20,
  stackBytes: 2 ** 20,
  recordBytes: 10_000_000,
  sourceBytes: 2 ** 20,
  logLines: 100,
  logCharacters: 500,
  triples: 100_000,
}
