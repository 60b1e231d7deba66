/** The numbers that bound every import. */

/** Bounds of every import. Bytes are counted after decompression. */
export type ImportLimits = {
  readonly maxPageBytes: number
  readonly maxDocumentBytes: number
  readonly maxItemBytes: number
  readonly maxItems: number
  readonly maxPages: number
  /** Tries per request, and the longest time that a source may ask us to wait. */
  readonly attempts: number
  readonly retryAfterMaxMs: number
}

export const usualLimits: ImportLimits = {
  maxPageBytes: 100_000_000,
  maxDocumentBytes: 2_000_000_000,
  maxItemBytes: 10_000_000,
  maxItems: 2_000_000,
  maxPages: 100_000,
  attempts: 4,
  retryAfterMaxMs: 600_000,
}
